// Links to the reviews of a pull request.
import { Link } from '@tanstack/react-router'

export function PullRequestLink({ repo, number }: { repo: string; number: number }) {
  return (
    <Link to="/reviews" search={{ tab: 'all', repo, search: String(number) }} className="underline">
      #{number}
    </Link>
  )
}
