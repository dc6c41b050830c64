// HTTP over a plain socket, for requests that no HTTP client would send.
import { connect, type Socket } from 'node:net'

/** Opens a connection and writes lines to it. */
export function openSocket(url: string, lines: readonly string[]): Socket {
  const { hostname, port } = new URL(url)
  const socket = connect(Number(port), hostname)
  socket.setEncoding('latin1')
  // A peer that stops reading may reset the connection while we are still writing.
  socket.on('error', () => {})
  socket.write(lines.join('\r\n'))
  return socket
}

/** Writes lines and reads until the other side closes the connection. */
export function sendRaw(url: string, lines: readonly string[]): Promise<string> {
  return new Promise((resolve) => {
    const socket = openSocket(url, lines)
    let answer = ''
    socket.on('data', (text) => {
      answer += text
    })
    socket.on('close', () => resolve(answer))
  })
}
