import type { Edition } from '#shared/content/edition.ts';
import { isRegistrationOpen, momentsOf, timingOfBalance } from '#shared/content/moments.ts';
import { formatDateRange, formatWeekday } from '#shared/dates.ts';
import { formatCents, formatDollars } from '#shared/money.ts';
import { unusedMedia } from './check-edition.ts';
import { compileEdition } from './compile-edition.ts';
import type { EditionFolder } from './read-edition.ts';

/**
 * What an author has to look at before an edition is sold: its title, sums and numbers, the weekday of each of its dates,
 * what a site that is tried out will show, and the files that nothing uses.
 */
export function listEdition(folder: EditionFolder, { isOnSale }: { isOnSale: boolean }): string {
  const edition = compileEdition(folder);
  const { facts, timetable } = edition;
  const { page, people, outlets, faq, terms } = folder.written;
  const { prices } = facts;
  const unused = unusedMedia(folder);
  const lines = [
    `${facts.id}${isOnSale ? ', on sale' : ''}`,
    `${facts.title}, ${formatDateRange(facts.startDate, facts.endDate)}, ${timetable.timeZone.name}`,
    `${timetable.days.length} days, ${timetable.sessions.length} sessions; schedule revision ${facts.calendar.revision}, of ${dayOf(facts.calendar.revisedAt)}`,
    `${formatDollars(facts.retreatPackage.total)} by check, ${formatCents(prices.byCardCents)} by card: ${formatCents(prices.depositCents)} at once, ${formatCents(prices.balanceCents)} on ${facts.balanceDueDate}`,
    facts.places === undefined
      ? 'places for everybody'
      : `${facts.places} places, held for ${facts.holdMinutes} minutes while somebody pays`,
    `${page.transform.steps.length} steps, ${page.benefits.items.length} benefits, ${people.testimonials.items.length} testimonials, ${people.videos.items.length} films, ${faq.items.length} questions, ${outlets.partners.items.length} partners, ${outlets.media.rows.flat().length} outlets`,
    ...(edition.questions?.items.map(
      ({ id, choices, required }) =>
        `question ${id}: ${choices ? `${choices.length} choices` : 'in her own words'}${required ? ', required' : ''}`,
    ) ?? []),
    ...(edition.plans?.offered.map(
      (parts) => `payment plan of ${parts.length} parts: ${parts.map((at) => at.slice(0, 10)).join(', ')}`,
    ) ?? []),
    `terms version ${terms.version}; ${folder.media.length} files in media/`,
    ...unused.map((name) => `media/${name} is not used: name it in a field, or delete it`),
    ...datesOf(edition),
  ];
  return lines.join('\n  ').replaceAll('\u00a0', ' ');
}

/** All dates in their order, in the retreat's time zone, and where among them a site that is tried out begins. */
function datesOf(edition: Omit<Edition, 'emblem'>): string[] {
  const tryOut = {
    at: edition.tryOutFrom,
    name: `npm start begins here (tryOutFrom): ${shownAtTryOut(edition)}`,
  };
  const moments = [...momentsOf(edition), tryOut];
  return moments
    .toSorted((one, other) => Date.parse(one.at) - Date.parse(other.at))
    .map(({ at, name }) => `${dayOf(at)} ${at.slice(11, 16)}  ${name}`);
}

function shownAtTryOut({ facts, tryOutFrom }: Omit<Edition, 'emblem'>): string {
  const now = new Date(tryOutFrom);
  const { noticeAt, chargeAt, lateDays } = facts.balance;
  if (!isRegistrationOpen(facts, 'auto', now)) return 'registration is not open yet';
  const timing = timingOfBalance(facts, now);
  if (timing === 'asked-for') return 'who registers then is asked to pay the balance, and no card is charged';
  const notice =
    now < new Date(noticeAt) ? `gets the notice on ${dayOf(noticeAt)}` : 'gets the notice at once';
  const charge = timing === 'on-due-day' ? `on ${dayOf(chargeAt)}` : `${lateDays} days after her deposit`;
  return `who registers then ${notice}, and her balance is charged ${charge}`;
}

/** `Thursday 2031-06-05`, of an ISO moment. */
function dayOf(moment: string): string {
  return `${formatWeekday(moment.slice(0, 10))} ${moment.slice(0, 10)}`;
}
