import { type Row, table, verdict } from '#scripts/drills/chaos/report.ts';
import type { UpgradeResult } from './run-upgrade.ts';

/** The tables of a run, and its verdict. */
export function reportOf({ steps, mails, doubled, balances, seconds, problems }: UpgradeResult): string {
  const rows = steps.map(
    ({ name, visits, failed }): Row => [
      name,
      ...[visits.length, failed, visits.reduce((sum, { tries }) => sum + tries - 1, 0)],
    ],
  );
  return [
    table([['Registrations', 'answered', 'failed', 'sent again'], ...rows]),
    table([
      ['Letters', 'expected', 'lost', 'doubled'],
      ['about the deposit', mails.expected, mails.lost, doubled],
      [
        'about the balance',
        ...[balances.expected * 3, balances.expected * 3 - balances.letters, balances.doubled],
      ],
    ]),
    table([
      ['Balances', balances.expected],
      ['  charged', balances.charged],
      ['Seconds', Math.round(seconds)],
    ]),
    verdict(problems),
  ].join('\n');
}
