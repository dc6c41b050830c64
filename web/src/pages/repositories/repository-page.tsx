// One repository: how its scan stands, and what is known of it.
import { useQuery, useSuspenseQuery } from '@tanstack/react-query'
import { Link, useNavigate, useParams } from '@tanstack/react-router'
import { ApiError } from '../../api/api-error.ts'
import { meQuery } from '../../api/queries.ts'
import { useApi } from '../../api/use-api.ts'
import { buttonClass } from '../../components/button.tsx'
import { Page } from '../../components/page.tsx'
import { PageTabs } from '../../components/page-tabs.tsx'
import { Empty, Failure } from '../../components/states.tsx'
import { CodeFigures } from './code-figures.tsx'
import { DisconnectButton } from './disconnect-button.tsx'
import { Memories } from './memories.tsx'
import { PeopleFigures } from './people-figures.tsx'
import { ProjectMap } from './project-map.tsx'
import { scanQuery } from './queries.ts'
import { RescanButton, ScanStatus } from './scan-status.tsx'

export function RepositoryPage() {
  const { owner, repo: name } = useParams({ from: '/shell/repositories/$owner/$repo' })
  const repo = `${owner}/${name}`
  const { error, refetch } = useQuery(scanQuery(useApi(), repo))
  return (
    <Page title={repo} aside={!error && <Actions repo={repo} />}>
      {error ? <NotShown error={error} onRetry={refetch} /> : <Known repo={repo} />}
    </Page>
  )
}

function Actions({ repo }: { repo: string }) {
  const { data: me } = useSuspenseQuery(meQuery(useApi()))
  const navigate = useNavigate()
  return (
    <div className="flex flex-wrap items-center gap-2">
      <Link to="/reviews" search={{ repo }} className={buttonClass()}>
        Reviews
      </Link>
      <a
        href={`${me.platform_url}/${repo}`}
        target="_blank"
        rel="noreferrer nofollow"
        className={buttonClass()}
      >
        At the platform
      </a>
      <RescanButton repo={repo} />
      <DisconnectButton repo={repo} onDone={() => void navigate({ to: '/repositories' })} />
    </div>
  )
}

function Known({ repo }: { repo: string }) {
  return (
    <>
      <div className="mb-4">
        <ScanStatus repo={repo} />
      </div>
      <PageTabs
        label={`What is known of ${repo}`}
        tabs={[
          { id: 'map', name: 'Project map', draw: () => <ProjectMap repo={repo} /> },
          { id: 'memories', name: 'Memories', draw: () => <Memories repo={repo} /> },
          { id: 'code', name: 'Code', draw: () => <CodeFigures repo={repo} /> },
          { id: 'people', name: 'People', draw: () => <PeopleFigures repo={repo} /> },
        ]}
      />
    </>
  )
}

function NotShown({ error, onRetry }: { error: Error; onRetry: () => void }) {
  if (!(error instanceof ApiError && (error.status === 403 || error.status === 400))) {
    return <Failure error={error} onRetry={onRetry} />
  }
  return (
    <Empty title="This repository is not connected to your account">
      You may connect it under{' '}
      <Link to="/repositories" className="text-accent underline">
        Repositories
      </Link>{' '}
      if you administer it at the platform.
    </Empty>
  )
}
