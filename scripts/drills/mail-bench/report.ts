import { median } from './measure.ts';
import { CONCURRENCY, type Round } from './run-bench.ts';

const LABEL_WIDTH = 34;

/** The table of a run, and what it measured. */
export function reportOf(rounds: readonly Round[], mails: number): string {
  const row = (label: string, ...cells: readonly string[]): string =>
    [label.padEnd(LABEL_WIDTH), ...cells.map((cell) => cell.padStart(14))].join('');
  const measuredRow = (label: string, side: keyof Round): string =>
    row(
      label,
      median(rounds.map((round) => round[side].perSecond)).toFixed(0),
      median(rounds.map((round) => round[side].cpuMsPerMail)).toFixed(2),
    );
  const ratio = median(rounds.map(({ queue, bare }) => queue.perSecond / bare.perSecond));
  return [
    row('', 'mails/s', 'CPU ms/mail'),
    measuredRow('bare nodemailer', 'bare'),
    measuredRow('queue and worker', 'queue'),
    measuredRow('  wording the mails alone', 'rendering'),
    row('queue / bare', ratio.toFixed(2)),
    '',
    `Medians of ${rounds.length} rounds of ${Math.ceil(mails / rounds.length)} mails each way, by turns, over ${CONCURRENCY} pooled connections.`,
    'Bare sends mails that were worded before; queue and worker add them to Redis, word them, send them and record it',
    '(not at Stripe). CPU is that of this process; mail server and Redis are processes of their own.',
  ].join('\n');
}
