import { connectRaw } from '#server/testing/raw-client.ts';
import type { Attack, Outcome } from './attack.ts';

/** Longer than the server waits for a head that does not come. */
const PATIENCE_MS = 20_000;

/** What came back, or that nothing did for longer than the server may take. */
export interface Answer {
  outcome: Outcome | 'no answer';
  text: string;
}

/** Sends one hostile request over a connection of its own. */
export async function sendAttack(url: string, { bytes, ending = 'reads' }: Attack): Promise<Answer> {
  const client = await connectRaw(url);
  const { socket } = client;
  const late = setTimeout(() => socket.destroy(new Error('late')), PATIENCE_MS);
  let cut = false;
  socket.once('error', (error) => {
    cut = error.message === 'late';
  });
  client.send(bytes);
  if (ending === 'hangs-up') socket.destroySoon();
  if (ending === 'stops-sending') socket.end();
  const { status, text } = await client.closed();
  clearTimeout(late);
  return { outcome: cut ? 'no answer' : (status ?? 'closed'), text };
}
