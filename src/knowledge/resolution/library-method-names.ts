// Method names of common libraries, which are too ambiguous to find a definition by name alone.

export const libraryMethodNames: ReadonlySet<string> = new Set(
  `add addAll addEventListener all allocate and any append apply args as assert
  assertEqual assertEquals at await base begin bind body build c_str call cancel
  capacity catch charAt charCodeAt clear click clone close code collect compare
  compareTo compile complete concat connect contains containsKey content context
  convert copy count create createElement cursor data date decode default define
  delete description destroy disconnect dispatch display done drop dump each emit
  empty encode end ends_with endsWith entries entrySet equal equals error eval every
  exec execute exists exit expect extend fail fetch field fields fill filter finalize
  finally find findAll findIndex finish first flags flat flatMap flush fmt focus fold
  forEach format forward freeze from func get getAll getAttribute getClass
  getElementById getItem getName getOrDefault getValue group groupBy handle has
  hasNext hasOwnProperty hash hashCode head header headers height id include includes
  incr index indexOf info init inner insert int intersection into invoke is isEmpty
  is_empty is_some is_none isinstance item items iter iterator join json key keys kind
  last lastIndexOf len length limit line link list listen load lock log lower lstrip
  main make map match max merge message method min mkdir mock name names new next node
  normalize not notify now nth of ok on once open options or order ordinal out parent
  parse path peek pipe poll pop position post prepare prepend print printf println
  process property push push_back put query queue raise random range read readFile
  readline readlines reader ready receive record reduce refresh register reject
  release reload remove removeEventListener removeItem render repeat replace
  replaceAll request require reset resize resolve response respond result resume
  return returns reverse rollback root round row rows rpop rstrip run save scan
  schedule score search seek select self send sendall set setAttribute setDefault
  setItem setState setTimeout setUp setup shift show shutdown signal size skip sleep
  slice some sort sorted source splice split stack start starts_with startsWith stat
  state status step stop store str stream string strip stub style sub submit subscribe
  substr substring success sum swap sync take tap target tearDown teardown test text
  then throw time title toArray toBe toEqual toFixed toISOString toJSON toList
  toLowerCase toString toUpperCase to_s to_string to_vec token tolist top touch trace
  transform translate trim trunc truncate try type types undo union unique unlock
  unshift unsubscribe unwrap update upper url use value valueOf values verify version
  view visit wait walk warn warning where width with wrap write writeFile writer yield
  zip debug Error String Len Close Read Write Get Set Add Run Start Stop New Name Next
  Value Equals ToString GetHashCode Dispose Select Where First Count Contains Remove
  Clear Format Parse Println Printf Sprintf Errorf Fatal Fatalf Wait Done Lock Unlock
  Scan Query Exec Open Save Load Create Update Delete Init Reset Send to_str as_str
  as_ref as_mut uri Err Error appendChild dispatchEvent hexdigest observe ContainsKey
  ExecuteNonQuery GetType Join Append`.split(/\s+/),
)
