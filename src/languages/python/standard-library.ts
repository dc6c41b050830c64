// The top-level modules of Python's standard library, which imports prefer to files of that name.

export const pythonStandardLibrary: ReadonlySet<string> = new Set(
  `__future__ abc argparse array ast asyncio atexit base64 bdb binascii bisect builtins
  bz2 calendar cmath cmd code codecs codeop collections colorsys compileall concurrent
  configparser contextlib contextvars copy copyreg cProfile csv ctypes curses
  dataclasses datetime dbm decimal difflib dis doctest email ensurepip enum errno
  faulthandler fcntl filecmp fileinput fnmatch fractions ftplib functools gc getopt
  getpass gettext glob graphlib grp gzip hashlib heapq hmac html http imaplib
  importlib inspect io ipaddress itertools json keyword linecache locale logging lzma
  mailbox marshal math mimetypes mmap modulefinder multiprocessing netrc ntpath
  numbers operator optparse os pathlib pdb pickle pickletools pkgutil platform
  plistlib poplib posix posixpath pprint profile pstats pty pwd py_compile pyclbr
  pydoc queue quopri random re readline reprlib resource runpy sched secrets select
  selectors shelve shlex shutil signal site smtplib socket socketserver sqlite3 ssl
  stat statistics string stringprep struct subprocess symtable sys sysconfig syslog
  tarfile tempfile termios textwrap threading time timeit tkinter token tokenize
  tomllib trace traceback tracemalloc tty turtle types typing unicodedata unittest
  urllib uuid venv warnings wave weakref webbrowser wsgiref xml xmlrpc zipapp zipfile
  zipimport zlib zoneinfo`.split(/\s+/),
)
