// Where people sign in.
export function SignInPage() {
  return <main>Not here yet.</main>
}
