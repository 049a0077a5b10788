import { EventEmitter, once } from 'node:events';
import PostalMime, { type Email } from 'postal-mime';
import { SMTPServer } from 'smtp-server';
import { findFreePort } from '#scripts/product/ports.ts';

/** A letter is sent at once, but the worker may have to finish others first. */
const TIMEOUT_MS = 60_000;

interface Letter {
  to: readonly string[];
  mail: Email;
}

/** A mail server that keeps what it is sent. */
export interface Inbox {
  url: string;
  /** The letters that an address has, oldest first. */
  lettersTo(address: string): Email[];
  /**
   * Waits until an address has `count` letters.
   * @throws {Error} when they do not come in time
   */
  waitForLetters(address: string, count: number): Promise<Email[]>;
  close(): Promise<void>;
}

/** Starts an empty inbox. */
export async function startInbox(): Promise<Inbox> {
  const letters: Letter[] = [];
  const events = new EventEmitter();
  const receive = async (stream: AsyncIterable<Buffer>, to: readonly string[]): Promise<void> => {
    const chunks: Buffer[] = [];
    for await (const chunk of stream) chunks.push(chunk);
    letters.push({ to, mail: await PostalMime.parse(Buffer.concat(chunks)) });
    events.emit('letter');
  };
  const server = new SMTPServer({
    authOptional: true,
    hideSTARTTLS: true,
    disabledCommands: ['STARTTLS'],
    onData(stream, { envelope }, callback) {
      const to = envelope.rcptTo.map(({ address }) => address);
      receive(stream, to).then(() => callback(), callback);
    },
  });
  // The worker may hang up at any moment.
  server.on('error', () => {});
  const port = await findFreePort();
  await once(server.listen(port, '127.0.0.1'), 'listening');

  const lettersTo = (address: string): Email[] =>
    letters.filter(({ to }) => to.includes(address)).map(({ mail }) => mail);
  return {
    url: `smtp://127.0.0.1:${port}`,
    lettersTo,
    async waitForLetters(address, count) {
      const signal = AbortSignal.timeout(TIMEOUT_MS);
      while (lettersTo(address).length < count) {
        await once(events, 'letter', { signal }).catch((cause: unknown) => {
          throw new Error(`${address} got ${lettersTo(address).length} letters, not ${count}`, { cause });
        });
      }
      return lettersTo(address);
    },
    close: () => new Promise((resolve) => server.close(resolve)),
  };
}
