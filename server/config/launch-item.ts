/** Something that a person has to decide or do before the site takes real cards. */
export interface LaunchItem {
  /** Names it in `confirmed` of `edition.yaml`, where a person says that she has decided it. */
  id: string;
  decides: 'owner' | 'lawyer' | 'bookkeeper' | 'engineer';
  /** One sentence: what is so, and what is to be decided or done. */
  says: string;
  /** The address of the page with the rule. */
  source?: string;
  /**
   * Absent for a decision, which a person may confirm. `left` is a fact: only its own change takes it off the list.
   * `unseen` is what this process cannot see, and a person who has looked may confirm. `done`: nothing is left to do.
   */
  standing?: 'left' | 'unseen' | 'done';
}

/** What was found of an item. */
export type Said = Pick<LaunchItem, 'says' | 'standing'>;

export const done = (says: string): Said => ({ says, standing: 'done' });
export const left = (says: string): Said => ({ says, standing: 'left' });
export const notSeen = (says: string): Said => ({ says, standing: 'unseen' });

/** What only a person can tell, by who decides it and by id. */
const DECISIONS: Record<LaunchItem['decides'], Record<string, string>> = {
  owner: {
    content:
      'Somebody who knows the retreat reads the whole page: names, letter, prices, session lengths, test session.',
    'quoted-people': 'Each person quoted agrees in writing to her words, name and picture.',
    'session-hours': 'Who leads the sessions checks days, hours and time zone.',
    'on-a-phone':
      'Somebody reads the page on a phone, light and dark, registers with a test card, and reads the letters.',
    'real-registration': 'One real registration is paid with the live keys, and refunded.',
  },
  lawyer: {
    terms:
      'A lawyer reads terms.yaml, the questions about health with their consents, and the privacy words.',
  },
  bookkeeper: {
    prices:
      'The bookkeeper checks tuition, deposit, card fee and balance in the list that npm run content prints.',
  },
  engineer: {
    'stored-card-usage':
      'The card networks are told that a card is stored for the instalments of one purchase: ask Stripe whether that is right for a deposit and its balance.',
    'test-letters': 'Test letters arrive at the large mail providers, and not among the spam.',
    alerts: 'Somebody is woken by the alerts on failed and old mails (server/ops/alerts.yml).',
    'closed-ports': 'Only the proxy can reach the ports of site and office (server/ops/proxy.md).',
    'copies-elsewhere':
      'The copies of the register are on another disk than the register (server/ops/changes.md).',
    'restore-drill': 'A copy of the register was restored for practice (server/ops/changes.md).',
  },
};

/** In this order the list is printed. */
export const DECIDERS = [
  'owner',
  'lawyer',
  'bookkeeper',
  'engineer',
] as const satisfies readonly LaunchItem['decides'][];

export const decisions: readonly LaunchItem[] = DECIDERS.flatMap((decides) =>
  Object.entries(DECISIONS[decides]).map(([id, says]) => ({ id, decides, says })),
);
