import { momentsOf } from '#shared/content/moments.ts';
import { formatDateRange, formatWeekday } from '#shared/dates.ts';
import { formatCents, formatDollars } from '#shared/money.ts';
import { compileEdition } from './compile.ts';
import type { EditionFolder } from './read.ts';
import { mediaOf } from './rules.ts';

/** What an author looks at before an edition is sold: sums, each date with its weekday, and files that nothing uses. */
export function listEdition({ id, written }: EditionFolder, isOnSale: boolean): string {
  const edition = compileEdition(id, written);
  const { facts, timetable, plans, terms, tryOutFrom } = edition;
  const { prices, calendar } = facts;
  const used = mediaOf(written);
  const sums = [
    formatCents(prices.byCardCents),
    formatCents(prices.depositCents),
    formatCents(prices.balanceCents),
  ];
  const moments = [
    ...momentsOf(edition),
    { at: tryOutFrom, name: 'npm start begins here (tryOutFrom)' },
  ].sort((one, other) => Date.parse(one.at) - Date.parse(other.at));
  const lines = [
    `${id}${isOnSale ? ', on sale' : ''}: terms version ${terms.version}, schedule revision ${calendar.revision}`,
    `${facts.title}, ${formatDateRange(facts.startDate, facts.endDate)}, ${timetable.timeZone.name}`,
    `${formatDollars(facts.retreatPackage.total)} by check, ${sums[0]} by card: ${sums[1]} at once, ${sums[2]} later`,
    ...(plans?.offered.map((parts) => `payment plan: ${parts.map((at) => at.slice(0, 10)).join(', ')}`) ??
      []),
    ...written.media
      .filter((name) => !used.includes(name))
      .map((name) => `media/${name} is not used: name it in a field, or delete it`),
    ...moments.map(({ at, name }) => `${dayOf(at)} ${at.slice(11, 16)}  ${name}`),
  ];
  return lines.join('\n  ').replaceAll('\u00a0', ' ');
}

/** `Thursday 2031-06-05`, of an ISO moment. */
const dayOf = (moment: string): string => `${formatWeekday(moment.slice(0, 10))} ${moment.slice(0, 10)}`;
