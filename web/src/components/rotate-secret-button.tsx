// Button that replaces the secret of a webhook after a confirmation.
import { useState } from 'react'
import { usePlatformName } from '../api/platform-name.ts'
import { ConfirmButton } from './confirm-button.tsx'

interface RotateSecretButtonProps {
  /** Whose webhook it is. */
  readonly subject: string
  readonly rotate: (input: { leaked: boolean }) => Promise<unknown>
}

export function RotateSecretButton({ subject, rotate }: RotateSecretButtonProps) {
  const platformName = usePlatformName()
  const [leaked, setLeaked] = useState(false)
  return (
    <ConfirmButton
      label="Rotate secret"
      subject={subject}
      title={`Rotate the webhook secret of ${subject}?`}
      action={() => rotate({ leaked })}
    >
      <p>
        {platformName} signs deliveries with a new secret from now on. The old secret stays valid
        for three more days, for deliveries that are sent again.
      </p>
      <label className="mt-3 flex items-center gap-2 text-ink">
        <input
          type="checkbox"
          checked={leaked}
          onChange={({ target }) => setLeaked(target.checked)}
        />
        The secret leaked: revoke the old one immediately
      </label>
    </ConfirmButton>
  )
}
