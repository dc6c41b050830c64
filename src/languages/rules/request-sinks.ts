// Lists the functions of each language that must not get what a client sent as it is.

/** Tests of callees as they are written, by what the functions do. */
export interface Sinks {
  /** Their arguments are paths. */
  readonly path: RegExp
  /** They send the browser to an address. */
  readonly redirect: RegExp
  /** They fetch an address. */
  readonly fetch: RegExp
  /** They run a text as code, or load the class or module that it names. */
  readonly code: RegExp
  /** They run a text as code, and have no other use. */
  readonly evaluate: RegExp
  /** They create objects of the types that the data names. */
  readonly load: RegExp
}

const jvm = {
  load: /^(?:new )?(?:java\.io\.)?(?:ObjectInputStream|XMLDecoder|HessianInput|Hessian2Input)$|^\w*[xX][sS]tream\w*\.fromXML$|^SerializationUtils\.deserialize$/,
  evaluate:
    /^(?:\w*[sS]cript\w*|\w*[gG]roovy\w*|new GroovyShell\(\)|GroovyShell\(\)|engine|\w*ScriptEngine)\.(?:eval|evaluate)$|^(?:\w*[sS]pel\w*|parser|expressionParser|\w*ExpressionParser(?:\(\))?)\.parseExpression$|^(?:MVEL|Ognl)\.(?:eval|getValue|compileExpression|parseExpression)$|^engine\.eval$/,
  code: /^Class\.forName$|\.(?:loadClass|parseExpression|evaluateExpression|newInstance)$|^(?:\w*[eE]ngine|\w*[sS]hell|\w*[sS]cript\w*|GroovyShell\(\)|new GroovyShell\(\))\.(?:eval|evaluate|parse|run)$|^System\.(?:load|loadLibrary)$|^(?:MVEL|Ognl|Mvel)\.\w+$|^new (?:URLClassLoader|SpelExpression)$|^(?:\w+\.)?createExpression$/i,
  redirect:
    /\.(?:sendRedirect|respondRedirect|seeOther|temporaryRedirect|setLocation|permanentRedirect)$|^(?:new )?RedirectView$|(?:ResponseEntity|\))\.location$/,
}

const javaPath = String.raw`^Paths\.get$|^Path\.of$|^Files\.\w+$|^(?:java\.io\.)?(?:new )?(?:java\.io\.)?(?:File|FileInputStream|FileOutputStream|FileReader|FileWriter|RandomAccessFile|FileSystemResource|PathResource|UrlResource)$|\.(?:resolve|resolveSibling|transferTo)$|^Path$`

const javaFetch = String.raw`\b(?:rest\w*|\w*[tT]emplate|\w*[cC]lient|http\w*)\.(?:getFor\w+|postFor\w+|exchange|headForHeaders|prepareGet)$|^(?:new )?(?:HttpGet|HttpPost|HttpPut|HttpHead|URL)$|^Jsoup\.connect$|Request\.(?:Get|Post)$|\.uri$|HttpRequest\.newBuilder$|Request\.Builder\(\)\.url$`

/** What functions must not get from a request, by the name of the language. */
export const requestSinks = {
  javascript: {
    load: /^(?:serialize|nodeSerialize|\w*[sS]erialize\w*)\.unserialize$|^unserialize$|^v8\.deserialize$|^cryo\.parse$/,
    evaluate:
      /^(?:vm\.)?(?:runInNewContext|runInThisContext|runInContext|compileFunction)$|^new vm\.Script$|^eval$/,
    path: /^(?:path\.(?:posix\.)?)?(?:join|resolve)$|^(?:fs\.|fsp\.|fs\.promises\.|fsPromises\.|res\.|reply\.)?(?:readFile|readFileSync|writeFile|writeFileSync|createReadStream|createWriteStream|unlink|unlinkSync|rm|rmSync|readdir|sendFile|download|copyFile|rename|appendFile)$|^send$|\.(?:mv)$/,
    redirect:
      /^(?:res|response|reply|ctx|context|c|h|ctx\.response|this\.ctx|this\.response)\.(?:redirect|location)$|^(?:Next)?Response\.redirect$|^redirect(?:Document)?$|^permanentRedirect$|^(?:window\.)?location\.(?:assign|replace)$/,
    fetch:
      /^(?:fetch|axios|got|request|needle|superagent|ky|undici\.(?:request|fetch)|(?:axios|got|needle|superagent|ky|http|https|\w*[hH]ttp|this\.\w*[hH]ttp\w*|this\.axios|\w*[cC]lient\.http)\.(?:get|post|put|patch|head|request|fetch|delete)|\w*page\.goto)$/,
    code: /^(?:vm\.)?(?:runInNewContext|runInThisContext|runInContext|compileFunction)$|^new (?:vm\.)?Script$|^(?:require|import|createRequire\(.*\))$|^(?:ejs|pug|nunjucks|Handlebars|handlebars|mustache|_|lodash|doT|eta)\.(?:render|renderString|compile|template|renderTemplate)$|^(?:eval|new Function)$/,
  },
  python: {
    load: /^(?:c?[pP]ickle|dill|cloudpickle|_pickle|marshal|jsonpickle)\.(?:loads?|decode)$|^(?:joblib|torch)\.load$|^shelve\.open$|^pickle\.Unpickler$/,
    evaluate: /$^/,
    path: /^(?:os\.path\.join|open|send_file|os\.(?:remove|unlink|listdir|rename)|shutil\.(?:rmtree|copy(?:2|file|tree)?|move)|FileResponse|(?:pathlib\.)?Path|aiofiles\.open|.*\.joinpath|\w+\.save)$/,
    redirect:
      /^(?:flask\.|web\.|responses\.|starlette\.responses\.)?(?:redirect|RedirectResponse|HttpResponseRedirect|HttpResponsePermanentRedirect|HTTPFound|HTTPSeeOther|HttpResponseRedirectBase)$|^self\.redirect$/,
    fetch:
      /^(?:requests|httpx|aiohttp|self\.(?:session|client|http)|session|client|http|http_client|async_client|s)\.(?:get|post|put|patch|delete|head|request|stream)$|^(?:urllib\.request\.)?(?:urlopen|urlretrieve|Request)$|^feedparser\.parse$/,
    code: /^(?:importlib\.)?import_module$|^__import__$|^import_string$|^(?:flask\.)?render_template_string$|^(?:jinja2\.)?Template$|\.from_string$|^(?:eval|exec|compile)$|^runpy\.\w+$/,
  },
  go: {
    load: /$^/,
    evaluate: /$^/,
    path: /^(?:filepath\.Join|os\.(?:Open|OpenFile|ReadFile|Remove|RemoveAll|Create|WriteFile|Rename|ReadDir|MkdirAll)|ioutil\.(?:ReadFile|WriteFile)|http\.ServeFile|(?:c|ctx)\.(?:File|SaveUploadedFile|SendFile|Attachment|FileAttachment|Download|Inline))$/,
    redirect:
      /^http\.Redirect$|^(?:c|ctx|context|gctx|ec)\.(?:Redirect|RedirectTo)$|\.Header\(\)\.(?:Set|Add)$|^c\.Header$|^http\.RedirectHandler$/,
    fetch:
      /^http\.(?:Get|Post|Head|PostForm|NewRequest|NewRequestWithContext)$|(?:^|\.)(?:\w*[cC]lient|http)\.(?:Get|Post|Head|PostForm)$|^(?:resty\.New\(\)|\w*resty\w*)\.R\(\)\.(?:Get|Post)$|^httputil\.NewSingleHostReverseProxy$/,
    code: /^plugin\.Open$|^(?:\w*vm|\w*runtime|\w*engine|L|\w*[sS]tate|otto|\w*interp\w*|i)\.(?:RunString|RunScript|Run|DoString|DoFile|Eval|LoadString|RunProgram)$|^(?:expr|govaluate|starlark|cel|gval|goja|lua)\.(?:Eval|Compile|NewEvaluableExpression|ExecFile|Evaluate|NewEvaluableExpressionWithFunctions|Program)$|template\.New\(.*\)\.Parse$/,
  },
  java: { ...jvm, path: new RegExp(javaPath), fetch: new RegExp(javaFetch) },
  kotlin: {
    ...jvm,
    path: new RegExp(`${javaPath}|^Path$|\\.respondFile$`),
    fetch: new RegExp(
      `${javaFetch}|^(?:client|http|\\w*[cC]lient)\\.(?:get|post|request|prepareGet)$`,
    ),
  },
  csharp: {
    load: /$^/,
    evaluate: /^CSharpScript\.(?:Evaluate|Run|Create)\w*$/,
    path: /^(?:System\.IO\.)?Path\.(?:Combine|Join)$|^(?:System\.IO\.)?File\.(?:Open\w*|Read\w*|Write\w*|Delete|Move|Copy|Create|AppendAll\w*)$|^new FileStream$|^new FileInfo$|^(?:this\.)?(?:PhysicalFile|File)$|^(?:Typed)?Results\.(?:File|PhysicalFile)$|\.ExtractToFile$|^Directory\.\w+$/,
    redirect:
      /^(?:this\.)?(?:Redirect|RedirectPermanent|RedirectPreserveMethod)$|(?:^|\.)Response\.Redirect$|^(?:Typed)?Results\.Redirect$|^new (?:\w+\.)*RedirectResult$/,
    fetch:
      /(?:^|\.)\w*(?:[hH]ttp|[cC]lient)\w*\.(?:GetAsync|GetStringAsync|GetStreamAsync|GetByteArrayAsync|PostAsync|PutAsync|DeleteAsync|GetFromJsonAsync|PostAsJsonAsync|DownloadString\w*|DownloadFile\w*|DownloadData\w*|OpenRead\w*)$|^new HttpRequestMessage$|^(?:Http)?WebRequest\.Create\w*$/,
    code: /^(?:\w+\.)?Assembly\.(?:Load|LoadFrom|LoadFile|UnsafeLoadFrom)$|^Type\.GetType$|^Activator\.CreateInstance\w*$|^CSharpScript\.\w+$|\.LoadFromAssemblyPath$|^(?:\w*[eE]ngine|\w*[jJ]int\w*)\.(?:Execute|Evaluate)$|^NativeLibrary\.Load$|\.ParseLambda$/,
  },
  php: {
    load: /^\\?(?:unserialize|igbinary_unserialize|yaml_parse)$/,
    evaluate: /^\\?(?:eval|create_function)$/,
    path: /^\\?(?:file_get_contents|file|fopen|readfile|unlink|file_put_contents|copy|rename|move_uploaded_file|rmdir|parse_ini_file|simplexml_load_file|(?:storage|public|base|resource|app)_path)$|^new \\?(?:SplFileObject|BinaryFileResponse|ZipArchive)$|(?:->|::)(?:download|streamDownload|sendFile|putFileAs)$|(?:response\(\)|\))->file$|(?:\)|\$\w*(?:file|upload|image|document|attachment|photo|avatar|media)\w*)->(?:move|moveTo|storeAs)$/i,
    redirect:
      /(?:->|::|^\\?)(?:redirect|away|redirectTo|to|withRedirect)$|^new [\w\\]*RedirectResponse$|^\\?header$|->(?:withHeader)$/,
    fetch:
      /^\\?(?:file_get_contents|curl_init|curl_setopt|fopen|get_headers|simplexml_load_file)$|^\\?Http::(?:\w+\(.*\)->)*(?:get|post|head|send)$|->(?:[cC]lient|http\w*|guzzle)->(?:request|get|post|head)$|^\$(?:\w*[cC]lient|http|guzzle)->(?:request|get|post|head)$|^new \\?(?:GuzzleHttp\\Psr7\\)?Request$/,
    code: /^\\?(?:call_user_func(?:_array)?|create_function|assert|eval)$|^new \$\w+$|->createTemplate$|^\$\w+$|^\\?(?:app|resolve)$/,
  },
  ruby: {
    load: /^(?:YAML|Psych)\.unsafe_load$|^(?:::)?Marshal\.(?:load|restore)$|^Oj\.(?:load|object_load)$/,
    evaluate: /(?:^|\.)(?:eval|instance_eval|class_eval|module_eval)$/,
    path: /^(?:::)?File\.(?:join|read|open|binread|delete|write|expand_path|new|binwrite|readlines|unlink)$|^(?:send_file|FileUtils\.(?:rm|rm_f|rm_rf|mv|cp)|IO\.(?:read|binread)|Pathname\.new|Pathname|Dir\.(?:glob|children)|FileUtils\.\w+)$|(?:[rR]oot|ROOT|dir|path|folder|[A-Z_]{3,}|directory|Pathname\.new\(.*\)|join\(.*\))\.join$/,
    redirect: /^redirect_to$|^redirect$|^redirect_back_or_to$/,
    fetch:
      /^(?:Net::HTTP\.(?:get|get_response|post|post_form|start)|URI\.open|(?:HTTParty|Faraday|RestClient|HTTP|Excon|Typhoeus|HTTPX|HTTPClient)\.(?:get|post|head|new)|open|(?:conn|connection|\w*client|http|\w*session)\.(?:get|post|head|request_get)|Down\.download)$/,
    code: /(?:^|\.)(?:eval|instance_eval|class_eval|module_eval|send|public_send|__send__|const_get)$|^(?:require|require_relative|load)$|^(?:ERB|Liquid::Template|Slim::Template|Haml::Engine|Tilt)\.(?:new|parse)$|\.(?:safe_)?constantize$/,
  },
  rust: {
    load: /$^/,
    evaluate: /$^/,
    path: /(?:root|dir|path|base|folder|directory|dest\w*|target|out\w*|storage|uploads?|Path::new\([^()]*\)|PathBuf::from\([^()]*\))(?:\(\))?\.join$|^(?:std::|tokio::)?fs::(?:read|read_to_string|remove_file|write|File::open|File::create|remove_dir_all|copy|rename)$|(?:^|::)File::(?:open|create)$|NamedFile::open(?:_async)?$|^PathBuf::from$/,
    redirect:
      /^(?:axum::response::|rocket::response::)?Redirect::(?:to|temporary|permanent|see_other|found)$|\.(?:append_header|insert_header)$/,
    fetch:
      /^(?:reqwest::)?(?:blocking::)?(?:get|Client::new\(\)\.(?:get|post))$|(?:^|\.)(?:\w*client|http)(?:\(\))?\.(?:get|post|head|put|request)$|^ureq::(?:get|post)$|^surf::get$/,
    code: /^(?:libloading::)?Library::new$|\.(?:eval|eval_with_scope|run|run_with_scope|compile|eval_expression|load)(?:::<.*>)?$|^Module::from_file$/,
  },
} satisfies Readonly<Record<string, Sinks>>
