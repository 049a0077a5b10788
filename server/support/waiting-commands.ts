import * as v from 'valibot';
import { moment } from '#server/acts/plain-words.ts';
import { wrongUsage } from '#server/acts/refusal.ts';
import { offerPlace, removeWaiting, withdrawOffer } from '#server/acts/waiting-acts.ts';
import { placesTold, tellWaitingList } from '#server/acts/waiting-list.ts';
import { facts as onSale } from '#shared/content/compiled/on-sale/facts.ts';
import { findEdition } from '#shared/content/find-edition.ts';
import { command, flag } from './command.ts';
import { act } from './command-words.ts';
import { table } from './printable.ts';

const ENTRY = v.pipe(
  v.string(),
  v.regex(
    /^waiting_\w+$/,
    'ENTRY needs the ID of an entry, such as waiting_123: the command waiting lists them',
  ),
);

/** The commands for the waiting list. */
export const waitingCommands = [
  command({
    name: 'waiting',
    words: {},
    options: { edition: v.optional(v.string(), onSale.id) },
    shownOptions: '[--edition EDITION]',
    help: ['Lists who waits for a place, in the order of joining, and how the places stand.'],
    run: (given) => async (context) => {
      const edition = findEdition(given.edition);
      if (!edition) throw wrongUsage(`There is no edition ${given.edition}`);
      const told = await tellWaitingList(context, edition);
      if (!told) return `${edition.facts.id} has no number of places, and no waiting list.`;
      const entries = told.entries.map(({ record, words }) => [
        record.id,
        moment(record.joinedAt, record),
        `${record.registrant.firstName} ${record.registrant.lastName}`,
        record.registrant.email,
        words,
      ]);
      return [table(placesTold(told.places)), entries.length > 0 ? table(entries) : 'Nobody waits.'].join(
        '\n\n',
      );
    },
  }),
  command({
    name: 'offer',
    words: { ENTRY },
    options: { ...act, 'without-place': flag },
    shownOptions: '--by NAME [--without-place] [--dry-run]',
    help: [
      'Keeps a place for somebody who waits, for 48 hours, and sends the letter with the link to it. With --without-place',
      'also where no place is free.',
    ],
    run: (given) => (context) => offerPlace(context, given.ENTRY, given),
  }),
  command({
    name: 'withdraw-offer',
    words: { ENTRY },
    options: act,
    shownOptions: '--by NAME [--dry-run]',
    help: ['Takes an offer back: its link no longer works. She waits as before.'],
    run: (given) => (context) => withdrawOffer(context, given.ENTRY, given),
  }),
  command({
    name: 'remove-waiting',
    words: { ENTRY },
    options: act,
    shownOptions: '--by NAME [--dry-run]',
    help: ['Takes somebody off the waiting list, and deletes her details.'],
    run: (given) => (context) => removeWaiting(context, given.ENTRY, given),
  }),
];
