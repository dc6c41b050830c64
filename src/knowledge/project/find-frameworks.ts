// Maps dependencies to the well-known frameworks and libraries that they belong to.

type FrameworkRole =
  | 'user interface'
  | 'web application'
  | 'HTTP'
  | 'data access'
  | 'validation and parsing'
  | 'background work'
  | 'desktop or mobile'
  | 'machine learning'
  | 'command line'
  | 'tests'
  | 'build'
  | 'checks'

export interface Framework {
  readonly name: string
  readonly role: FrameworkRole
}

/**
 * For each role, `dependency=Name` pairs separated by commas. `=Name` is omitted if it equals the
 * dependency. A dependency that ends with `*` is a prefix.
 */
const frameworkTable: Readonly<Record<FrameworkRole, string>> = {
  'user interface': `react=React,preact=Preact,vue=Vue,svelte=Svelte,solid-js=Solid,
    @angular/core=Angular,lit=Lit,@builder.io/qwik=Qwik,ember-source=Ember,alpinejs=Alpine,
    htmx.org=htmx,jquery=jQuery,tailwindcss=Tailwind CSS,@mui/material=MUI,antd=Ant Design,
    bootstrap=Bootstrap,@radix-ui/*=Radix UI,redux=Redux,@reduxjs/toolkit=Redux Toolkit,
    zustand=Zustand,mobx=MobX,jotai=Jotai,pinia=Pinia,@tanstack/react-query=TanStack Query,
    three=three.js,d3=D3,streamlit=Streamlit,gradio=Gradio,livewire/livewire=Livewire,
    @hotwired/turbo-rails=Turbo,yew=Yew,leptos=Leptos,egui=egui,iced=iced,ratatui=Ratatui,
    github.com/charmbracelet/bubbletea=Bubble Tea`,
  'web application': `next=Next.js,nuxt=Nuxt,@sveltejs/kit=SvelteKit,@remix-run/*=Remix,
    astro=Astro,gatsby=Gatsby,@nestjs/core=NestJS,@adonisjs/core=AdonisJS,
    @docusaurus/core=Docusaurus,vitepress=VitePress,django=Django,flask=Flask,fastapi=FastAPI,
    pyramid=Pyramid,quart=Quart,litestar=Litestar,sanic=Sanic,tornado=Tornado,rails=Ruby on Rails,
    sinatra=Sinatra,hanami=Hanami,jekyll=Jekyll,laravel/framework=Laravel,
    symfony/framework-bundle=Symfony,symfony/symfony=Symfony,slim/slim=Slim,yiisoft/yii2=Yii,
    cakephp/cakephp=CakePHP,codeigniter4/framework=CodeIgniter,
    org.springframework.boot*=Spring Boot,org.springframework*=Spring,io.quarkus*=Quarkus,
    io.micronaut*=Micronaut,jakarta.platform*=Jakarta EE,com.vaadin*=Vaadin,
    io.dropwizard*=Dropwizard,io.ktor*=Ktor,Microsoft.AspNetCore*=ASP.NET Core,
    Microsoft.NET.Sdk.Web=ASP.NET Core,Microsoft.AspNet.*=ASP.NET,
    Microsoft.NET.Sdk.BlazorWebAssembly=Blazor,gofr.dev=GoFr,github.com/beego/beego*=Beego,
    github.com/revel/revel=Revel,actix-web=Actix Web,axum=Axum,rocket=Rocket,warp=warp,
    phoenix=Phoenix`,
  HTTP: `express=Express,fastify=Fastify,koa=Koa,hono=Hono,@hapi/hapi=hapi,socket.io=Socket.IO,
    ws,axios=Axios,graphql=GraphQL,@apollo/server=Apollo Server,@trpc/server=tRPC,
    @grpc/grpc-js=gRPC,aiohttp,httpx,requests,starlette=Starlette,uvicorn=Uvicorn,
    gunicorn=Gunicorn,grpcio=gRPC,djangorestframework=Django REST framework,
    github.com/gin-gonic/gin=Gin,github.com/labstack/echo*=Echo,github.com/gofiber/fiber*=Fiber,
    github.com/go-chi/chi*=chi,github.com/gorilla/mux=gorilla/mux,google.golang.org/grpc=gRPC,
    hyper,reqwest,tonic=tonic (gRPC),puma=Puma,faraday=Faraday,guzzlehttp/guzzle=Guzzle,
    io.netty*=Netty,com.squareup.okhttp3*=OkHttp,io.grpc*=gRPC,Grpc.AspNetCore=gRPC`,
  'data access': `prisma=Prisma,@prisma/client=Prisma,typeorm=TypeORM,sequelize=Sequelize,
    drizzle-orm=Drizzle,kysely=Kysely,knex=Knex,mongoose=Mongoose,mongodb=MongoDB,pg=PostgreSQL,
    mysql2=MySQL,better-sqlite3=SQLite,redis=Redis,ioredis=Redis,@electric-sql/pglite=PGlite,
    @elastic/elasticsearch=Elasticsearch,sqlalchemy=SQLAlchemy,alembic=Alembic,peewee=Peewee,
    psycopg*=PostgreSQL,asyncpg=PostgreSQL,pymongo=MongoDB,elasticsearch=Elasticsearch,
    gorm.io/gorm=GORM,github.com/jmoiron/sqlx=sqlx,github.com/jackc/pgx*=pgx,entgo.io/ent=ent,
    github.com/redis/go-redis*=Redis,go.mongodb.org/mongo-driver=MongoDB,diesel=Diesel,sqlx=SQLx,
    sea-orm=SeaORM,activerecord=Active Record,sequel=Sequel,doctrine/orm=Doctrine,
    org.hibernate*=Hibernate,org.mybatis*=MyBatis,org.jooq*=jOOQ,org.flywaydb*=Flyway,
    Microsoft.EntityFrameworkCore*=Entity Framework Core,Dapper,ecto=Ecto`,
  'validation and parsing': `zod=Zod,pydantic=Pydantic,serde=Serde,ajv=Ajv,joi=Joi,yup=Yup,
    valibot=Valibot,io-ts`,
  'background work': `bullmq=BullMQ,bull=Bull,pg-boss,agenda=Agenda,kafkajs=Kafka,
    amqplib=RabbitMQ,celery=Celery,rq=RQ,dramatiq=Dramatiq,apache-airflow=Airflow,pika=RabbitMQ,
    kafka-python=Kafka,sidekiq=Sidekiq,resque=Resque,solid_queue=Solid Queue,
    laravel/horizon=Horizon,github.com/hibiken/asynq=Asynq,github.com/segmentio/kafka-go=Kafka,
    tokio=Tokio,rayon=Rayon,org.apache.kafka*=Kafka,com.rabbitmq*=RabbitMQ,
    org.quartz-scheduler*=Quartz,Hangfire*=Hangfire,MassTransit*=MassTransit,trio=Trio`,
  'desktop or mobile': `electron=Electron,@tauri-apps/api=Tauri,tauri=Tauri,
    react-native=React Native,expo=Expo,@ionic/core=Ionic,@capacitor/core=Capacitor,
    vscode=VS Code extension,@types/vscode=VS Code extension,github.com/wailsapp/wails*=Wails,
    flutter=Flutter,androidx*=Android Jetpack,com.android.tools.build*=Android,Avalonia*=Avalonia,
    Microsoft.Maui*=.NET MAUI,pyqt6=Qt,pyside6=Qt,sdl2=SDL`,
  'machine learning': `torch=PyTorch,tensorflow=TensorFlow,keras=Keras,jax=JAX,
    transformers=Transformers,scikit-learn=scikit-learn,numpy=NumPy,pandas=pandas,polars=Polars,
    langchain*=LangChain,@langchain/core=LangChain,llama-index*=LlamaIndex,openai=OpenAI,
    anthropic=Anthropic,@anthropic-ai/sdk=Anthropic,ai=AI SDK,
    @modelcontextprotocol/sdk=Model Context Protocol,mcp=Model Context Protocol,
    onnxruntime*=ONNX Runtime,candle-core=Candle`,
  'command line': `commander=Commander,yargs=yargs,@oclif/core=oclif,ink=Ink,click=Click,
    typer=Typer,clap,github.com/spf13/cobra=Cobra,github.com/urfave/cli*=urfave/cli,thor=Thor,
    symfony/console=Symfony Console,info.picocli*=picocli,System.CommandLine,
    Spectre.Console*=Spectre.Console`,
  tests: `vitest=Vitest,jest=Jest,mocha=Mocha,ava=AVA,jasmine=Jasmine,tap=tap,
    @playwright/test=Playwright,cypress=Cypress,@testing-library/*=Testing Library,
    storybook=Storybook,pytest=pytest,hypothesis=Hypothesis,tox=tox,nose2=nose2,
    github.com/stretchr/testify=Testify,github.com/onsi/ginkgo*=Ginkgo,go.uber.org/mock=gomock,
    rspec=RSpec,rspec-rails=RSpec,minitest=Minitest,cucumber=Cucumber,capybara=Capybara,
    phpunit/phpunit=PHPUnit,pestphp/pest=Pest,mockery/mockery=Mockery,org.junit.jupiter*=JUnit 5,
    junit=JUnit 4,org.mockito*=Mockito,org.assertj*=AssertJ,org.testng*=TestNG,
    org.testcontainers*=Testcontainers,io.kotest*=Kotest,xunit*=xUnit,NUnit*=NUnit,MSTest*=MSTest,
    Moq=Moq,insta,proptest,criterion=Criterion,googletest=GoogleTest,fast-check=fast-check`,
  build: `vite=Vite,webpack=webpack,rollup=Rollup,esbuild,parcel=Parcel,turbo=Turborepo,nx=Nx,
    lerna=Lerna,@changesets/cli=Changesets,@babel/core=Babel,@swc/core=SWC,tsup,
    electron-builder=electron-builder,setuptools,hatchling=Hatch,poetry-core=Poetry,
    maturin=Maturin,typescript=TypeScript`,
  checks: `eslint=ESLint,prettier=Prettier,@biomejs/biome=Biome,stylelint=Stylelint,
    oxlint=Oxlint,husky=Husky,ruff=Ruff,black=Black,mypy=mypy,pyright=Pyright,flake8=Flake8,
    pylint=Pylint,isort,pre-commit,rubocop=RuboCop,phpstan/phpstan=PHPStan,
    larastan/larastan=Larastan,friendsofphp/php-cs-fixer=PHP CS Fixer,laravel/pint=Pint,
    squizlabs/php_codesniffer=PHP_CodeSniffer,vimeo/psalm=Psalm,StyleCop.Analyzers=StyleCop`,
}

const frameworksByName = new Map<string, Framework>()
const prefixes: { readonly prefix: string; readonly framework: Framework }[] = []
for (const [role, entries] of Object.entries(frameworkTable) as [FrameworkRole, string][]) {
  for (const entry of entries.split(/,\s*/)) {
    const [dependency = '', name = dependency] = entry.trim().split('=')
    const framework = { name, role }
    if (dependency.endsWith('*'))
      prefixes.push({ prefix: dependency.slice(0, -1).toLowerCase(), framework })
    else frameworksByName.set(dependency.toLowerCase(), framework)
  }
}

/** Returns the frameworks of some dependencies without repetition, ordered by role. */
export function findFrameworks(dependencies: Iterable<string>): Framework[] {
  const found = new Map<string, Framework>()
  for (const dependency of dependencies) {
    const framework = findFramework(dependency.toLowerCase())
    if (framework) found.set(framework.name, framework)
  }
  const roles = Object.keys(frameworkTable)
  return [...found.values()].sort(
    (one, other) => roles.indexOf(one.role) - roles.indexOf(other.role),
  )
}

/** Go modules may end with a major version; Maven's and Gradle's names begin with a group. */
function findFramework(dependency: string): Framework | undefined {
  return (
    frameworksByName.get(dependency) ??
    frameworksByName.get(dependency.replace(/\/v\d+$/, '')) ??
    frameworksByName.get(dependency.split(':')[0]!) ??
    prefixes.find(({ prefix }) => dependency.startsWith(prefix))?.framework
  )
}
