import { renderToStaticMarkup } from 'react-dom/server';
import type { QueueMeasurement } from './mail-metrics.ts';

/** What an operator wants to know at a glance. */
export interface Status {
  /** By name, such as `Redis`: there, away, or not asked yet. */
  probes: Record<string, boolean | undefined>;
  uptimeSeconds: number;
  /** Undefined while Redis is away. */
  mails: QueueMeasurement | undefined;
}

/** All the style that the page needs; the policy of the ops listener allows it by its hash. */
export const STATUS_STYLE = 'th{text-align:left}';

/** The ops listener's first page. It needs no script. */
export function renderStatusPage({ probes, uptimeSeconds, mails }: Status): string {
  const facts = [
    ...Object.entries(probes).map(([name, there]): Fact => [name, wordFor(there)]),
    ['Running for', formatDuration(uptimeSeconds)] as Fact,
    ...mailFacts(mails),
  ];
  return `<!doctype html>${renderToStaticMarkup(
    <html lang="en">
      <head>
        <meta charSet="utf-8" />
        <meta name="viewport" content="width=device-width, initial-scale=1" />
        <meta name="color-scheme" content="light dark" />
        <title>Status</title>
        <style>{STATUS_STYLE}</style>
      </head>
      <body>
        <h1>Status</h1>
        <table>
          <tbody>
            {facts.map(([name, value]) => (
              <tr key={name}>
                <th scope="row">{name}</th>
                <td>{value}</td>
              </tr>
            ))}
          </tbody>
        </table>
        <p>
          <a href="/queues">Mail queue</a>, <a href="/metrics">metrics</a>
        </p>
      </body>
    </html>,
  )}`;
}

type Fact = readonly [name: string, value: string];

function wordFor(there: boolean | undefined): string {
  if (there === undefined) return 'not asked yet';
  return there ? 'connected' : 'NOT AVAILABLE';
}

/** BullMQ's states in plain words; the others are plain. */
const STATE_WORDS: Record<string, string> = {
  delayed: 'to be tried again',
  active: 'being sent',
  completed: 'sent',
};

function mailFacts(mails: QueueMeasurement | undefined): Fact[] {
  if (!mails) return [['Mails', 'cannot be counted while Redis is not available']];
  const counts = Object.entries(mails.jobs).map(
    ([state, count]): Fact => [`Mails ${STATE_WORDS[state] ?? state}`, String(count)],
  );
  return [
    ['Sending mails', mails.isPaused ? 'PAUSED on the queue’s page' : 'on'],
    ...counts,
    ['Oldest mail not sent yet', formatDuration(mails.oldestSeconds)],
  ];
}

function formatDuration(seconds: number): string {
  const minutes = Math.floor(seconds / 60);
  if (minutes === 0) return `${Math.floor(seconds)} s`;
  const hours = Math.floor(minutes / 60);
  return hours === 0 ? `${minutes} min` : `${hours} h ${minutes % 60} min`;
}
