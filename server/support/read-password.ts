import { text } from 'node:stream/consumers';
import { Refusal } from '#server/acts/refusal.ts';

const ENTER = ['\r', '\n'];
const ERASE = ['\b', '\x7f'];
/** Ctrl-C and Ctrl-D. */
const STOP = ['\x03', '\x04'];

/**
 * Asks for a new password twice, without showing it; without a terminal it is the first line of standard
 * input.
 * @throws {Refusal} when the two differ, or the user presses Ctrl-C or Ctrl-D
 */
export async function readPassword(words: string): Promise<string> {
  if (!process.stdin.isTTY) return (await text(process.stdin)).split(/\r?\n/, 1)[0] ?? '';
  const [first, second] = [await askHidden(`${words}: `), await askHidden('Once more: ')];
  if (first !== second) throw new Refusal('failed', 'The two are not the same.');
  return first;
}

/** Reads a line from the terminal without echo. */
function askHidden(question: string): Promise<string> {
  const { stdin, stderr } = process;
  stderr.write(question);
  stdin.setRawMode(true).setEncoding('utf8').resume();
  return new Promise((resolve, reject) => {
    let typed: string[] = [];
    const end = (): void => {
      stdin.off('data', onData).setRawMode(false).pause();
      stderr.write('\n');
    };
    const onData = (chunk: string): void => {
      for (const character of chunk) {
        if (ENTER.includes(character)) {
          end();
          resolve(typed.join(''));
          return;
        }
        if (STOP.includes(character)) {
          end();
          reject(new Refusal('failed', 'No user was made.'));
          return;
        }
        if (ERASE.includes(character)) typed = typed.slice(0, -1);
        else typed.push(character);
      }
    };
    stdin.on('data', onData);
  });
}
