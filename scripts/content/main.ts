import { formatDateRange } from '#shared/dates.ts';
import { formatCents } from '#shared/money.ts';
import { COMPILED_FOLDER, compileContent } from './compile-content.ts';
import { compileEdition } from './compile-edition.ts';
import { ContentProblems } from './problems.ts';
import { listEditions, readEdition, readOnSale } from './read-edition.ts';
import { recordTerms } from './record.ts';

try {
  if (process.argv.includes('--record')) {
    for (const id of await listEditions()) await recordTerms(await readEdition(id));
  }
  await compileContent();
  await list();
} catch (error) {
  if (!(error instanceof ContentProblems)) throw error;
  console.error(error.message);
  process.exitCode = 1;
}

/** Prints a summary of each edition. */
async function list(): Promise<void> {
  const onSale = await readOnSale();
  for (const id of await listEditions()) {
    const folder = await readEdition(id);
    const { facts, timetable } = compileEdition(folder);
    const { page, people, outlets, faq, terms } = folder.written;
    const { prices } = facts;
    const lines = [
      `${facts.id}${facts.id === onSale ? ', on sale' : ''}`,
      `${facts.title}, ${formatDateRange(facts.startDate, facts.endDate)}, ${timetable.timeZone.name}`,
      `${timetable.days.length} days, ${timetable.sessions.length} sessions; registration until ${facts.registration.closes}`,
      `${formatCents(prices.byCheckCents)} by check, ${formatCents(prices.byCardCents)} by card: ${formatCents(prices.depositCents)} at once, ${formatCents(prices.balanceCents)} on ${facts.balanceDueDate}`,
      `balance: notice ${facts.balance.noticeAt}, reminder ${facts.balance.reminderAt}, charge ${facts.balance.chargeAt}; refunds until ${facts.balance.refundsEndAt}`,
      facts.places === undefined ? 'places for everybody' : `${facts.places} places`,
      `${page.transform.steps.length} steps, ${page.benefits.items.length} benefits, ${people.testimonials.items.length} testimonials, ${people.videos.items.length} films, ${faq.items.length} questions, ${outlets.partners.items.length} partners, ${outlets.media.rows.flat().length} outlets`,
      `terms version ${terms.version}; ${folder.media.length} files in media/`,
    ];
    console.log(lines.join('\n  ').replaceAll('\u00a0', ' '));
  }
  console.log(`The content is in order; compiled to ${COMPILED_FOLDER}/.`);
}
