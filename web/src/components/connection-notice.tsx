// Says at the top of the page that it is offline, or that its live updates stopped.
import { useConnection } from '../connection.ts'

const messages = {
  offline: 'You are offline. This is what was loaded last; it updates when you are back.',
  stopped: 'Updates stopped; reconnecting …',
  live: '',
} as const

export function ConnectionNotice() {
  const connection = useConnection()
  return (
    <div role="status">
      {connection !== 'live' && (
        <p className="border-line border-b bg-warn-soft px-3 py-1.5 text-center text-warn sm:px-5">
          {messages[connection]}
        </p>
      )}
    </div>
  )
}
