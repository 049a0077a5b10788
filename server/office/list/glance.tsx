import type { Group } from '#server/register/listed.ts';
import { formatCents } from '#shared/money.ts';
import type { Figure, Totals } from './figures.ts';
import { addressOf, type ListQuery } from './list-query.ts';

interface Tile {
  name: string;
  figure: Figure;
  /** What the sum is. */
  sum: string;
  group?: Group;
}

/** Registrations and money at a glance, see `Totals`. */
export function Glance({ totals, query }: { totals: Totals; query: ListQuery }) {
  return (
    <section aria-labelledby="glance">
      <h2 id="glance">At a glance</h2>
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
    </section>
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
      ...{ name: 'Refunded', figure: wentBack, group: 'refunded' },
      sum: `went back, which leaves ${formatCents(cameIn.cents - wentBack.cents)}`,
    },
    { name: 'Waived', figure: waived, sum: 'not asked for', group: 'waived' },
    { name: 'Check promised', figure: checkPromised, sum: 'not here yet', group: 'by-check' },
    { name: 'Check to send', figure: toSend, sum: 'to send', group: 'needs-you', isRare: true },
  ];
  return tiles.filter(({ figure, isRare }) => !isRare || figure.count > 0);
}
