// Lists the functions of each language that must not get what a client sent as it is.
import { type Callees, callees } from './callee-words.ts'
import { languagesOf, pickByLanguage } from './language-rules.ts'
import type { ParsedFile } from './syntax-check.ts'

/** Functions of a language, by what they do with their arguments. */
export interface Sinks {
  /** A shell interprets their first argument. */
  readonly shell: readonly ShellSink[]
  /** They take the names of columns; functions of all languages are in `sql-checks.ts`. */
  readonly columns: Callees
  /** Their arguments are paths. */
  readonly path: Callees
  /** They send the browser to an address. */
  readonly redirect: Callees
  /** They fetch an address. */
  readonly fetch: Callees
  /** They run a text as code, or load the class or module that it names. */
  readonly code: Callees
  /** They run a text as code, and have no other use. */
  readonly evaluate: Callees
  /** They create objects of the types that the data names. */
  readonly load: Callees
}

export interface ShellSink {
  readonly callees: Callees
  /** Code that the call has if it starts a shell. */
  readonly option?: RegExp
  /** Code of files in which the functions are those that are meant. */
  readonly file?: RegExp
  /** Whether more arguments mean that no shell is started. */
  readonly isAlone?: true
  /** Whether the functions are meant only if the command quotes a value by hand. */
  readonly quoted?: true
}

const none = callees()
const scriptShell = /child_process|\bexeca\b|shelljs|\bzx\b/

const jvm = {
  shell: [{ callees: callees('**.{Runtime.getRuntime(),runtime,rt,Runtime}.exec') }],
  columns: none,
  load: callees(
    '{java.io.,}{ObjectInputStream,XMLDecoder,HessianInput,Hessian2Input}{,.new}',
    '*{x,X}Stream*.fromXML SerializationUtils.deserialize',
  ),
  evaluate: callees(
    '{*script*,*Script*,*groovy*,*Groovy*,GroovyShell.new(),GroovyShell(),engine}.{eval,evaluate}',
    '{*spel*,*Spel*,parser,expressionParser,*ExpressionParser,*ExpressionParser()}.parseExpression',
    '*ExpressionParser.new().parseExpression',
    '{MVEL,Ognl}.{eval,getValue,compileExpression,parseExpression}',
  ),
  code: callees(
    'Class.forName .{loadClass,parseExpression,evaluateExpression,newInstance}',
    '{*engine,*Engine,*shell,*Shell,*script*,*Script*}.{eval,evaluate,parse,run}',
    'GroovyShell{,.new}().{eval,evaluate,parse,run} System.{load,loadLibrary} {MVEL,Ognl,Mvel}.*',
    '{URLClassLoader,SpelExpression}.new {*.,}createExpression',
  ),
  redirect: callees(
    '.{sendRedirect,respondRedirect,seeOther,temporaryRedirect,setLocation,permanentRedirect}',
    'RedirectView{,.new} **.ResponseEntity.location **.*().location',
  ),
}

const javaPath = [
  'Paths.get Path.of Files.* Path .{resolve,resolveSibling,transferTo}',
  '{java.io.,}{File,FileInputStream,FileOutputStream,FileReader,FileWriter}{,.new}',
  '{RandomAccessFile,FileSystemResource,PathResource,UrlResource}{,.new}',
]

const javaFetch = [
  '**.{rest*,*Template,*template,*Client,*client,http*}.{getFor*,postFor*,exchange,headForHeaders}',
  '**.{*Client,*client}.prepareGet {HttpGet,HttpPost,HttpPut,HttpHead,URL}{,.new} Jsoup.connect',
  '**.*Request.{Get,Post} .uri **.HttpRequest.newBuilder **.Request.Builder{,.new}().url',
]

/** What functions must not get from a request, by the name of the language. */
const sinks = {
  javascript: {
    shell: [
      {
        callees: callees(
          '{,child_process.,childProcess.,cp.,shell.,shelljs.}{exec,execSync,execAsync}',
          'execPromise {execa.,}{execaCommand,execaCommandSync,command,commandSync}',
        ),
        file: scriptShell,
      },
      {
        callees: callees('**.{spawn,spawnSync,execFile,execFileSync,execa,execaSync,fork}'),
        option: /\bshell:\s*(?:true\b|["'])/,
        file: scriptShell,
      },
      // Such names are mostly aliases of `exec`.
      { callees: callees('**.{*shell,*Shell,sh,execCommand}'), quoted: true, file: scriptShell },
    ],
    columns: none,
    load: callees('{*serialize,*Serialize}*.unserialize unserialize v8.deserialize cryo.parse'),
    evaluate: callees(
      '{vm.,}{runInNewContext,runInThisContext,runInContext,compileFunction} vm.Script.new eval',
    ),
    path: callees(
      '{path.,path.posix.,}{join,resolve} send .mv',
      '{,fs.,fsp.,fs.promises.,fsPromises.}{readFile,writeFile,unlink,rm,rmdir,appendFile}{,Sync}',
      '{,fs.,fsp.,fs.promises.,fsPromises.}{createReadStream,createWriteStream,readdir,copyFile}',
      '{,fs.,fsp.,fs.promises.,fsPromises.}rename {,res.,reply.}{sendFile,download}',
    ),
    redirect: callees(
      '{res,response,reply,ctx,context,c,h,ctx.response}.{redirect,location}',
      '{Next,}Response.redirect redirect{Document,} permanentRedirect',
      '{window.,}location.{assign,replace}',
    ),
    fetch: callees(
      'fetch axios got request needle superagent ky undici.{request,fetch} *page.goto',
      '{axios,got,needle,superagent,ky,https,*http*,*Http*}.{get,post,put,patch,head,delete}',
      '{axios,got,needle,superagent,ky,https,*http*,*Http*}.{request,fetch}',
      '*{c,C}lient.http.{get,post,put,patch,head,request,fetch,delete}',
    ),
    code: callees(
      '{vm.,}{runInNewContext,runInThisContext,runInContext,compileFunction} {vm.,}Script.new',
      'require import createRequire() eval Function.new',
      '{ejs,pug,nunjucks,Handlebars,handlebars,mustache,_,lodash}.{render,compile,template}',
      '{doT,eta,nunjucks,Handlebars}.{render,compile,template,renderString,renderTemplate}',
    ),
  },
  python: {
    shell: [
      {
        callees: callees(
          'os.{system,popen} {asyncio.,}create_subprocess_shell',
          '{subprocess,commands}.{getoutput,getstatusoutput} *{ssh,client}*.exec_command',
        ),
      },
      {
        callees: callees('{subprocess.,}{run,call,Popen,check_call,check_output}'),
        option: /\bshell\s*=\s*True\b/,
      },
    ],
    columns: none,
    load: callees(
      '{pickle,cPickle,dill,cloudpickle,_pickle,marshal,jsonpickle}.{load,loads,decode}',
      '{joblib,torch}.load shelve.open pickle.Unpickler',
    ),
    evaluate: none,
    path: callees(
      'os.path.join open send_file os.{remove,unlink,listdir,rename} .joinpath *.save',
      'shutil.{rmtree,copy,copy2,copyfile,copytree,move} FileResponse {pathlib.,}Path',
      'aiofiles.open',
    ),
    redirect: callees(
      '{flask.,web.,responses.,starlette.responses.,}{redirect,RedirectResponse,HTTPFound}',
      'HttpResponse{Redirect,PermanentRedirect,RedirectBase} {web.,}HTTPSeeOther',
    ),
    fetch: callees(
      '{requests,httpx,aiohttp,session,client,http,http_client,async_client,s}.{get,post,put}',
      '{requests,httpx,aiohttp,session,client,http,http_client,async_client,s}.{patch,delete}',
      '{requests,httpx,aiohttp,session,client,http,http_client,async_client,s}.{head,request,stream}',
      '{urllib.request.,}{urlopen,urlretrieve,Request} feedparser.parse',
    ),
    code: callees(
      '{importlib.,}import_module __import__ import_string {flask.,}render_template_string',
      '{jinja2.,}Template .from_string eval exec compile runpy.*',
    ),
  },
  go: {
    shell: [
      {
        callees: callees('*{session,sess,Session}.{Run,Output,CombinedOutput,Start}'),
        file: /x\/crypto\/ssh"/,
      },
    ],
    columns: none,
    load: none,
    evaluate: none,
    path: callees(
      'filepath.Join os.{Open,OpenFile,ReadFile,Remove,RemoveAll,Create,WriteFile,Rename}',
      'os.{ReadDir,MkdirAll} ioutil.{ReadFile,WriteFile} http.ServeFile',
      '{c,ctx}.{File,SaveUploadedFile,SendFile,Attachment,FileAttachment,Download,Inline}',
    ),
    redirect: callees(
      'http.Redirect {c,ctx,context,gctx,ec}.{Redirect,RedirectTo}',
      'http.RedirectHandler',
    ),
    fetch: callees(
      'http.{Get,Post,Head,PostForm,NewRequest,NewRequestWithContext}',
      '**.{*client,*Client,http}.{Get,Post,Head,PostForm} httputil.NewSingleHostReverseProxy',
      '{resty.New(),*resty*}.R().{Get,Post}',
    ),
    code: callees(
      'plugin.Open {*vm,*runtime,*engine,L,*state,*State,otto,*interp*,i}.{RunString,RunScript,Run}',
      '{*vm,*runtime,*engine,L,*state,*State,otto,*interp*,i}.{DoString,DoFile,Eval,LoadString}',
      '{expr,govaluate,starlark,cel,gval,goja,lua}.{Eval,Compile,ExecFile,Evaluate,Program}',
      'govaluate.NewEvaluableExpression* template.New().Parse *{vm,runtime}.RunProgram',
    ),
  },
  java: { ...jvm, path: callees(...javaPath), fetch: callees(...javaFetch) },
  kotlin: {
    ...jvm,
    path: callees(...javaPath, '.respondFile'),
    fetch: callees(...javaFetch, '{http,*client,*Client}.{get,post,request,prepareGet}'),
  },
  scala: {
    ...jvm,
    shell: [...jvm.shell, { callees: callees('{sys.,scala.sys.,}{process.,}Process') }],
    path: none,
    redirect: none,
    fetch: none,
    load: none,
  },
  'c-sharp': {
    shell: [],
    columns: none,
    load: none,
    evaluate: callees('CSharpScript.{Evaluate,Run,Create}*'),
    path: callees(
      '{System.IO.,}Path.{Combine,Join} {System.IO.,}File.{Open,Read,Write,AppendAll}*',
      '{System.IO.,}File.{Delete,Move,Copy,Create} {FileStream,FileInfo}.new {PhysicalFile,File}',
      '{Typed,}Results.{File,PhysicalFile} .ExtractToFile Directory.*',
    ),
    redirect: callees(
      '{Redirect,RedirectPermanent,RedirectPreserveMethod} **.Response.Redirect',
      '{Typed,}Results.Redirect **.RedirectResult.new',
    ),
    fetch: callees(
      '**.{*http*,*Http*,*client*,*Client*}.{GetAsync,GetStringAsync,GetStreamAsync,PostAsync}',
      '**.{*http*,*Http*,*client*,*Client*}.{GetByteArrayAsync,PutAsync,DeleteAsync,OpenRead*}',
      '**.{*http*,*Http*,*client*,*Client*}.{GetFromJsonAsync,PostAsJsonAsync,DownloadString*}',
      '**.{*client*,*Client*}.{DownloadFile*,DownloadData*}',
      'HttpRequestMessage.new {Http,}WebRequest.Create*',
    ),
    code: callees(
      '{*.,}Assembly.{Load,LoadFrom,LoadFile,UnsafeLoadFrom} Type.GetType',
      'Activator.CreateInstance* CSharpScript.* .{LoadFromAssemblyPath,ParseLambda}',
      '{*engine,*Engine,*jint*,*Jint*}.{Execute,Evaluate} NativeLibrary.Load',
    ),
  },
  php: {
    shell: [
      {
        callees: callees(
          'exec shell_exec system passthru popen proc_open .fromShellCommandline ssh2_exec',
        ),
      },
    ],
    columns: callees('.{orderBy,groupBy,selectRaw,raw,addOrderBy,reorder,orderByRaw,groupByRaw}'),
    load: callees('unserialize igbinary_unserialize yaml_parse'),
    evaluate: callees('eval create_function'),
    path: callees(
      'file_get_contents file fopen readfile unlink file_put_contents copy rename rmdir',
      'move_uploaded_file parse_ini_file simplexml_load_file',
      '{storage,public,base,resource,app}_path {SplFileObject,BinaryFileResponse,ZipArchive}.new',
      '.{download,streamDownload,sendFile,putFileAs} **.{response(),*()}.file',
      '**.{*(),*file*,*File*,*upload*,*image*,*document*,*attachment*,*photo*}.{move,moveTo,storeAs}',
      '{*avatar*,*media*}.{move,moveTo,storeAs}',
    ),
    redirect: callees(
      '**.{redirect,away,redirectTo,withRedirect} **.{redirect,Redirect}.to',
      '**.*RedirectResponse.new header',
    ),
    fetch: callees(
      'file_get_contents curl_init curl_setopt fopen get_headers simplexml_load_file',
      'Http.{get,post,head,send} Http.*().{get,post,head,send} {GuzzleHttp.Psr7.,}Request.new',
      'Http.*().*().{get,post,head,send}',
      '**.{*client,*Client,http*,guzzle}.{request,get,post,head}',
    ),
    code: callees(
      'call_user_func call_user_func_array create_function assert eval .createTemplate app resolve',
    ),
  },
  ruby: {
    shell: [
      {
        callees: callees(
          '{Kernel.,}{system,exec,spawn} IO.popen PTY.spawn',
          'Open3.{capture,popen,pipeline}*',
        ),
        isAlone: true,
      },
      { callees: callees('*{ssh,session}*.exec'), file: /Net::SSH/ },
    ],
    columns: callees('**.{order,reorder,pluck,group,joins,from,calculate,sum,select,in_order_of}'),
    load: callees('{YAML,Psych}.unsafe_load {.,}Marshal.{load,restore} Oj.{load,object_load}'),
    // An engine for another language evaluates in a world of its own.
    evaluate: callees('{,Kernel.,*binding.}eval **.{instance_eval,class_eval,module_eval}'),
    path: callees(
      'File.{join,read,open,binread,delete,write,expand_path,new,binwrite,readlines,unlink}',
      'send_file FileUtils.* IO.{read,binread} Pathname{.new,} Dir.{glob,children}',
      '**.{*root,*Root,*ROOT,*dir,*path,*folder,*directory,*join(),Pathname.new()}.join',
      '**.{STORAGE,UPLOADS,*_DIR,*_PATH,BASE}.join',
    ),
    redirect: callees('redirect_to redirect redirect_back_or_to'),
    fetch: callees(
      'Net.HTTP.{get,get_response,post,post_form,start} URI.open open Down.download',
      '{HTTParty,Faraday,RestClient,HTTP,Excon,Typhoeus,HTTPX,HTTPClient}.{get,post,head,new}',
      '{conn,connection,*client,http,*session}.{get,post,head,request_get}',
    ),
    code: callees(
      '**.{eval,instance_eval,class_eval,module_eval,send,public_send,__send__,const_get}',
      'require require_relative load {ERB,Liquid.Template,Slim.Template,Haml.Engine,Tilt}.{new,parse}',
      '.{safe_,}constantize',
    ),
  },
  rust: {
    shell: [],
    columns: none,
    load: none,
    evaluate: none,
    path: callees(
      '**.{*root,*dir,*path,*base,*folder,*directory,*dest*,*target,*out*,*storage,*upload*}.join',
      '**.{*dir(),*path(),*root(),Path.new(),PathBuf.from()}.join {std.,tokio.,}fs.File.{open,create}',
      '{std.,tokio.,}fs.{read,read_to_string,remove_file,write,remove_dir_all,copy,rename}',
      '**.File.{open,create} **.NamedFile.open{_async,} **.PathBuf.from',
    ),
    redirect: callees(
      '{axum.response.,rocket.response.,}Redirect.{to,temporary,permanent,see_other,found}',
      '.{append_header,insert_header}',
    ),
    fetch: callees(
      '{reqwest.,}{blocking.,}{get,Client.new().get,Client.new().post} ureq.{get,post} surf.get',
      '**.{*client,http}{(),}.{get,post,head,put,request}',
    ),
    code: callees(
      '{libloading.,}Library.new Module.from_file',
      '.{eval,eval_with_scope,run,run_with_scope,compile,eval_expression,load}',
    ),
  },
  cpp: {
    shell: [{ callees: callees('{std.,}system popen _popen _wsystem') }],
    columns: none,
    load: none,
    evaluate: none,
    path: none,
    redirect: none,
    fetch: none,
    code: none,
  },
} satisfies Readonly<Record<string, Sinks>>

/** Returns the functions of the language of a file. */
export function sinksOf(file: ParsedFile): Sinks | undefined {
  return pickByLanguage<Sinks>(sinks, file)
}

/** Lists the languages with functions of a kind, as those that its check runs in. */
export function languagesWith(kind: keyof Sinks) {
  return languagesOf(sinks).filter((language) => sinks[language][kind] !== none)
}
