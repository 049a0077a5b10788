import type { LaunchItem } from './launch-item.ts';

/** Who looks at what: nobody but a person can tell whether it was done. */
export const decisions: readonly LaunchItem[] = [
  {
    id: 'content',
    decides: 'owner',
    says: 'Somebody who knows the retreat reads the whole page: names, letter, prices, policies, session lengths, and the days of test session and links.',
    source: 'shared/content/README.md#who-checks-what',
  },
  {
    id: 'quoted-people',
    decides: 'owner',
    says: 'Each person quoted agrees in writing to her words, name and picture.',
  },
  {
    id: 'session-hours',
    decides: 'owner',
    says: 'Who leads the sessions checks days, hours and time zone.',
  },
  {
    id: 'on-a-phone',
    decides: 'owner',
    says: 'Somebody looks at the page on a phone, in light and dark, registers with a test card, and reads the letters in the mail program most used.',
  },
  {
    id: 'real-registration',
    decides: 'owner',
    says: 'One real registration is paid with the live keys, and refunded.',
  },
  {
    id: 'terms',
    decides: 'lawyer',
    says: 'A lawyer reads terms.yaml, the questions about health with their consents, and the privacy words.',
    source: 'shared/content/README.md#who-checks-what',
  },
  {
    id: 'prices',
    decides: 'bookkeeper',
    says: 'The bookkeeper checks tuition, deposit, card fee and balance in the list that npm run content prints.',
  },
  {
    id: 'test-letters',
    decides: 'engineer',
    says: 'Test letters arrive at the large mail providers, and not among the spam.',
  },
  {
    id: 'alerts',
    decides: 'engineer',
    says: 'Somebody is woken by the alerts on failed and old mails.',
    source: 'server/ops/alerts.yml',
  },
  {
    id: 'closed-ports',
    decides: 'engineer',
    says: 'Only the proxy can reach the ports of site and office.',
    source: 'server/ops/proxy.md',
  },
  {
    id: 'copies-elsewhere',
    decides: 'engineer',
    says: 'The copies of the register are on another disk than the register.',
    source: 'server/ops/changes.md#back-up-and-restore',
  },
  {
    id: 'restore-drill',
    decides: 'engineer',
    says: 'A copy of the register was restored for practice.',
    source: 'server/ops/changes.md#back-up-and-restore',
  },
];
