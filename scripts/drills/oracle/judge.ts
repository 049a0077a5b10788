import { Readable } from 'node:stream';
import type { Bounces } from '#scripts/drills/stage/bounces.ts';
import { type Office, type Row, readAgreement, type Shown } from '#scripts/drills/stage/office.ts';
import { nameOf, type Registrant } from '#scripts/drills/stage/registering.ts';
import type { Stage } from '#scripts/drills/stage/stage.ts';
import type { Happened } from '#scripts/drills/stage/storm.ts';
import { DAY_MS } from '#scripts/world/editions.ts';
import { VISITOR_MARKS } from '#scripts/world/people.ts';
import type { Verdict } from './count.ts';
import { judgeDigests, judgeLetters, judgePunctuality } from './letters.ts';
import { judgeAccount, judgeBooks, judgeMoney } from './money.ts';
import { repeatsOf } from './repeats.ts';
import { losable, readAccount, type Story, storiesOf } from './story.ts';

const AT_ONCE = 8;
/** For this long after a retreat the office lists it. */
const LISTED_MS = 30 * DAY_MS;

/** What happened besides what comes out. */
export interface Played {
  registrants: readonly Registrant[];
  faults: readonly Happened[];
  /** Somebody of the office, to read the list and the pages. */
  office: Office;
  bounces: Pick<Bounces, 'returned' | 'mended'>;
  /** The moments at which the clock stopped while a worker was running; none where it is not moved. */
  steps: readonly number[];
  /** Whether nothing prevents the worker from doing everything on time. */
  isPunctual: boolean;
}

/** Reads all that came out of a product, judges it, and adds that to a verdict. */
export async function judge(
  stage: Pick<Stage, 'stripe' | 'notes' | 'lines' | 'crashes'>,
  { registrants, faults, office, bounces, steps, isPunctual }: Played,
  verdict: Verdict,
): Promise<void> {
  const { stripe, notes, lines, crashes } = stage;
  const account = await readAccount(stripe);
  const restored = faults.find(({ kind }) => kind === 'register-restored');
  const forgotten = restored && { from: restored.fromMs, until: restored.untilMs };
  const lastStep = steps.at(-1) ?? Number.POSITIVE_INFINITY;
  const mayLack = losable(registrants, account, forgotten);
  const shown = await readOffice(office, registrants, { lastStep, mayLack });
  const stories = storiesOf({ registrants, account, notes, bounces, shown, forgotten });
  const repeats = repeatsOf({ faults, lines });
  verdict.problems.push(...crashes, ...leaks(lines));
  judgeAccount(stories, account, verdict);
  for (const story of stories) {
    verdict.count('Registrations');
    if (story.paidAt !== undefined) verdict.count('  with a deposit');
    if (story.isLost) verdict.count('  unpaid, and lost with the register');
    verdict.count('  sent again without an answer', story.presses - 1);
    judgeMoney(story, verdict);
    judgeLetters(story, steps, repeats, verdict);
    if (isPunctual) judgePunctuality(story, verdict);
  }
  if (steps.length === 0) return;
  judgeBooks(stories, await readAllBooks(office, stories, lastStep), verdict);
  for (const edition of new Set(stories.map(({ person }) => person.edition)))
    judgeDigests(edition, stories, { mails: notes.mails, steps, repeats }, verdict);
}

/** Reports log lines that contain registrants' details. */
export function leaks(lines: readonly string[]): string[] {
  const leaking = lines.filter((line) => VISITOR_MARKS.test(line));
  return leaking.length === 0 ? [] : [`${leaking.length} log lines tell of visitors, such as ${leaking[0]}`];
}

/** The bookkeeping of all months in which somebody may have paid, one month after the other. */
async function readAllBooks(office: Office, stories: readonly Story[], until: number): Promise<Row[]> {
  const from = new Date(Math.min(...stories.map(({ person }) => person.edition.moments.opens)) - DAY_MS);
  const rows: Row[] = [];
  for (let month = 0; ; month += 1) {
    const first = Date.UTC(from.getUTCFullYear(), from.getUTCMonth() + month);
    if (first > until) return rows;
    rows.push(...(await office.read(`/bookkeeping.csv?month=${new Date(first).toISOString().slice(0, 7)}`)));
  }
}

/**
 * What the office's pages show of each registration. Their list holds editions of the present alone.
 */
async function readOffice(
  office: Office,
  registrants: readonly Registrant[],
  { lastStep, mayLack }: { lastStep: number; mayLack: ReadonlySet<string> },
): Promise<Map<string, Shown>> {
  const isListed = ({ edition }: Registrant['person']): boolean =>
    lastStep < edition.moments.ends + LISTED_MS;
  const listed = registrants.map(({ person }) => person).filter(isListed);
  const editions = new Set(listed.map(({ edition }) => edition.id));
  const sheets = [...editions].map((edition) => office.read(`/registrations.csv?edition=${edition}`));
  const rows = new Map((await Promise.all(sheets)).flat().map((row) => [row.Registration ?? '', row]));
  const shown = new Map<string, Shown>();
  const look = async (registrant: Registrant): Promise<void> => {
    const { registration } = registrant;
    const row = rows.get(registration);
    if (!row && mayLack.has(registration)) return;
    if (isListed(registrant.person) && !row)
      throw new Error(`${nameOf(registrant)} is not in the office's list`);
    const agreed = await readAgreement(office, registration);
    shown.set(registration, { ...(row && { row }), ...(agreed && { agreed }) });
  };
  await Readable.from(registrants).forEach(look, { concurrency: AT_ONCE });
  return shown;
}
