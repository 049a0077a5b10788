import { randomBytes } from 'node:crypto';
import type { Redis } from 'ioredis';
import * as v from 'valibot';
import { DataTable } from '#server/office/parts.tsx';
import { sumLineWords } from '#server/office/words.ts';
import { withTimeout } from '#server/service/work.ts';
import type { SumLine } from '#shared/content/tuition.ts';
import { formatCents } from '#shared/money.ts';
import { type LetterReading, type Said, totalOf } from './command.ts';

/** What was done, for the page that is shown after the press. */
export interface Notice {
  heading: string;
  says: readonly Said[];
  by: string;
}

const KEPT_S = 10 * 60;
const REDIS_TIMEOUT_MS = 1_000;

const line = v.object({
  words: v.string(),
  keptCents: v.exactOptional(v.number()),
  why: v.exactOptional(v.string()),
  cents: v.number(),
});
const said = v.union([
  v.string(),
  v.object({ sum: v.array(line) }),
  v.object({ facts: v.array(v.array(v.string())) }),
  v.object({ compared: v.array(v.tuple([v.string(), v.string(), v.string()])) }),
]);
const noticeSchema = v.pipe(
  v.string(),
  v.parseJson(),
  v.object({ heading: v.string(), says: v.array(said), by: v.string() }),
);
const nameSchema = v.pipe(v.string(), v.regex(/^[\w-]{22}$/));

/** Keeps notices of what was done for a while: the URL of a page contains only the name of a notice. */
export function createNotices(redis: Redis) {
  const keyOf = (name: string): string => `office:told:${name}`;
  return {
    /** Returns the name of the notice; undefined while Redis is down or hanging. */
    async keep(notice: Notice): Promise<string | undefined> {
      const name = randomBytes(16).toString('base64url');
      const kept = redis.set(keyOf(name), JSON.stringify(notice), 'EX', KEPT_S);
      return withTimeout(kept, REDIS_TIMEOUT_MS).then(
        () => name,
        () => undefined,
      );
    },
    async find(name: unknown): Promise<Notice | undefined> {
      const known = v.safeParse(nameSchema, name);
      if (!known.success) return undefined;
      const text = await withTimeout(redis.get(keyOf(known.output)), REDIS_TIMEOUT_MS).catch(() => null);
      const notice = v.safeParse(noticeSchema, text);
      return notice.success ? notice.output : undefined;
    },
  };
}

/** What was done, on the page that is shown after the press. */
export function NoticeView({ notice }: { notice: Notice }) {
  return (
    <section className="notice" aria-labelledby="done">
      <h2 id="done">Done: {notice.heading}</h2>
      <ToldView says={notice.says} />
      <p className="fine">By {notice.by}.</p>
    </section>
  );
}

export function ToldView({ says }: { says: readonly Said[] }) {
  return says.map((said) => <SaidView key={JSON.stringify(said)} said={said} />);
}

function SaidView({ said }: { said: Said }) {
  if (typeof said === 'string') return <p>{/^https?:\S+$/.test(said) ? <code>{said}</code> : said}</p>;
  if ('letter' in said) return <LetterView letter={said.letter} />;
  if ('compared' in said) return <Compared rows={said.compared} />;
  return 'sum' in said ? <Sum lines={said.sum} /> : <Facts facts={said.facts} />;
}

/** The plain text of a letter, which says all that its HTML version says. */
function LetterView({ letter: { subject, text } }: { letter: LetterReading }) {
  return (
    <section className="letter-reading" aria-labelledby="letter-reading">
      <h3 id="letter-reading">{subject}</h3>
      <p className="as-written">{text.trim().replace(/ +$/gm, '')}</p>
    </section>
  );
}

/** On a phone each row is a block, whose cells are labelled. */
function Compared({ rows }: { rows: readonly (readonly [name: string, now: string, then: string])[] }) {
  return (
    <table className="table table--narrow table--stacked">
      <caption>How it stands</caption>
      <thead>
        <tr>
          <td />
          <th scope="col">Now</th>
          <th scope="col">Then</th>
        </tr>
      </thead>
      <tbody>
        {rows.map(([name, now, then]) => (
          <tr key={name}>
            <th scope="row">{name}</th>
            <td data-label="Now">{now}</td>
            <td data-label="Then">{then}</td>
          </tr>
        ))}
      </tbody>
    </table>
  );
}

function Sum({ lines }: { lines: readonly SumLine[] }) {
  return (
    <DataTable
      className="table table--narrow"
      caption="How it adds up"
      rows={lines.map((line) => [sumLineWords(line), formatCents(line.cents)])}
      foot={['In all', formatCents(totalOf([{ sum: lines }]))]}
      classes={[undefined, 'sum']}
    />
  );
}

/**
 * Each row begins with a name, unless it has one cell only; empty cells, with which a terminal aligns columns, are left
 * out.
 */
function Facts({ facts }: { facts: readonly (readonly string[])[] }) {
  const rows = facts.map((row) => {
    const [name = '', ...cells] = row.filter((cell) => cell !== '');
    return [name, cells.join(' ')];
  });
  return <DataTable caption="In detail" rows={rows} />;
}
