import { placeFacts } from '#server/acts/waiting-acts.ts';
import { Section } from '#server/office/parts.tsx';
import type { PlaceCounts } from '#server/register/places.ts';
import type { Group } from '#server/register/registration-index.ts';
import { formatCents } from '#shared/money.ts';
import type { Figure, Totals } from './figures.ts';
import { addressOf, type ListQuery } from './list-query.ts';

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
              <span className="office-fine">{`${formatCents(figure.cents)} ${sum}`}</span>
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
          <strong className="office-need">
            {`${tooMany === 1 ? 'One person has' : `${tooMany} people have`} paid beyond the number of places.`}
          </strong>{' '}
          More places were offered than there are, or their number was lowered. Please decide whether there is
          room for them, or speak with those who registered last.
        </p>
      )}
      <dl className="office-glance">
        {placeFacts(places).map(({ count, words }) => (
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
