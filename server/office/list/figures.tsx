import { placeFacts } from '#server/office/commands/waiting-commands.ts';
import { Section } from '#server/office/parts.tsx';
import type { PlaceCounts } from '#server/registration/places.ts';
import type { Group } from '#server/worker/registration-index.ts';
import { formatCents } from '#shared/money.ts';
import { addressOf, type ListQuery, type Sum, type Tally } from './find-listed.ts';

/** A number of registrations, and a sum of their money in US cents. */
interface Figure {
  count: number;
  cents: number;
}

export type Totals = ReturnType<typeof totalsOf>;

/**
 * Registrations and money at a glance, in US cents with card fees. The figures add up: the count of `registered` is
 * that of `paid`, `due` and `late` together; the sum of `cameIn` is the money from `registered` and from those
 * who cancelled; and `cameIn` less `wentBack` is what the office has.
 */
export function totalsOf(tallies: readonly Tally[]) {
  const figure = (of: Sum, isCounted: (tally: Tally) => boolean): Figure => {
    const total: Figure = { count: 0, cents: 0 };
    for (const tally of tallies.filter(isCounted)) {
      total.count += tally.count;
      total.cents += tally.count * tally[of];
    }
    return total;
  };
  const inGroup = (group: Group, of: Sum) => figure(of, ({ groups }) => groups.includes(group));
  const anyOf = (of: Sum) => figure(of, (tally) => tally[of] > 0);
  return {
    /** Registrants with a place: deposit paid, not cancelled. The sum is what came in from them. */
    registered: inGroup('registered', 'inCents'),
    /** Registrants with a place and nothing left to pay. The sum is what came in from them. */
    paid: inGroup('paid', 'inCents'),
    /** Registrants whose balance is due later. The sum is that balance. */
    due: inGroup('due', 'toPayCents'),
    /** Registrants whose balance should have been paid by now. The sum is that balance. */
    late: inGroup('late', 'toPayCents'),
    /** Registrants from whom money came in, including those who cancelled later: deposits, balances by card, checks. */
    cameIn: anyOf('inCents'),
    /** The part of `cameIn` that came by check. */
    byCheck: anyOf('checkCents'),
    /** Registrants who got money back, by card, check or dispute. */
    wentBack: anyOf('backCents'),
    /** Registrants to whom the office owes a check. */
    toSend: anyOf('toSendCents'),
    /** Registrants with a place whose tuition was waived in part. The sum is before the card fee. */
    waived: anyOf('waivedCents'),
    /** Registrants who promised a check that has not come. The sum is their balance. */
    checkPromised: figure(
      'toPayCents',
      ({ groups, toPayCents }) => toPayCents > 0 && groups.includes('by-check'),
    ),
  };
}

interface Tile {
  name: string;
  figure: Figure;
  sum: string;
  group?: Group;
}

/** Registrations and money at a glance, see `Totals`. */
export function Glance({ totals, query }: { totals: Totals; query: ListQuery }) {
  return (
    <Section id="glance" title="At a glance">
      <dl className="office-glance">
        {tilesOf(totals).map(({ name, figure, sum, group }) => (
          <div key={name}>
            <dt>{group ? <a href={addressOf({ ...query, group, page: 1 })}>{name}</a> : name}</dt>
            <dd>
              <span className="office-figure">{figure.count.toLocaleString('en-US')}</span>
              <span className="fine">{`${formatCents(figure.cents)} ${sum}`}</span>
            </dd>
          </div>
        ))}
      </dl>
    </Section>
  );
}

/** The counts of a retreat's places, and whether more people have paid than there are places. */
export function PlacesAtAGlance({ places }: { places: PlaceCounts }) {
  const tooMany = places.paid - places.places;
  return (
    <Section id="places" title="Places">
      {tooMany > 0 && (
        <p role="alert">
          <strong className="need">
            {`${tooMany === 1 ? 'One person has' : `${tooMany} people have`} paid beyond the number of places.`}
          </strong>{' '}
          More places were offered than there are, or their number was lowered. Please decide whether there is
          room for them, or speak with those who registered last.
        </p>
      )}
      <dl className="office-glance">
        {placeFacts(places).map(([words, count]) => (
          <div key={words}>
            <dt>{words}</dt>
            <dd>
              <span className="office-figure">{count.toLocaleString('en-US')}</span>
            </dd>
          </div>
        ))}
      </dl>
    </Section>
  );
}

function tilesOf(totals: Totals): Tile[] {
  const { registered, paid, due, late, cameIn, byCheck, wentBack, toSend, waived, checkPromised } = totals;
  const tiles: (Tile & { isRare?: true })[] = [
    { name: 'Registered', figure: registered, sum: 'came in from them', group: 'registered' },
    { name: 'Paid in full', figure: paid, sum: 'came in from them', group: 'paid' },
    { name: 'Due later', figure: due, sum: 'still to pay', group: 'due' },
    { name: 'Late', figure: late, sum: 'still to pay', group: 'late' },
    {
      name: 'Came in',
      figure: cameIn,
      sum: `in all, ${formatCents(byCheck.cents)} of it by check or transfer`,
    },
    {
      name: 'Refunded',
      figure: wentBack,
      group: 'refunded',
      sum: `went back, which leaves ${formatCents(cameIn.cents - wentBack.cents)}`,
    },
    { name: 'Waived', figure: waived, sum: 'not asked for', group: 'waived' },
    { name: 'Check promised', figure: checkPromised, sum: 'not here yet', group: 'by-check' },
    { name: 'Check to send', figure: toSend, sum: 'to send', group: 'needs-you', isRare: true },
  ];
  return tiles.filter(({ figure, isRare }) => !isRare || figure.count > 0);
}
