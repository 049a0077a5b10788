import { type LetterReading, type Said, totalOf } from '#server/acts/act.ts';
import { sumLineWords } from '#server/acts/words.ts';
import { DataTable } from '#server/office/parts.tsx';
import type { SumLine } from '#shared/content/tuition.ts';
import { formatCents } from '#shared/money.ts';
import type { Notice } from './notices.ts';

/** What was done, on the page that is shown after the press. */
export function NoticeView({ notice }: { notice: Notice }) {
  return (
    <section className="registration-notice" aria-labelledby="done">
      <h2 id="done">Done: {notice.heading}</h2>
      <ToldView says={notice.says} />
      <p className="registration-fine">By {notice.by}.</p>
    </section>
  );
}

/** The result of an act: sentences, sums with their totals, tables of facts. */
export function ToldView({ says }: { says: readonly Said[] }) {
  return says.map((said) => <SaidView key={JSON.stringify(said)} said={said} />);
}

function SaidView({ said }: { said: Said }) {
  if (typeof said === 'string') return <p>{/^https?:\S+$/.test(said) ? <code>{said}</code> : said}</p>;
  if ('letter' in said) return <LetterView letter={said.letter} />;
  return 'sum' in said ? <Sum lines={said.sum} /> : <Facts facts={said.facts} />;
}

/** The plain text of a letter, which says all that its HTML version says. */
function LetterView({ letter: { subject, text } }: { letter: LetterReading }) {
  return (
    <section className="letter-reading" aria-labelledby="letter-reading">
      <h3 id="letter-reading">{subject}</h3>
      <p className="letter-text">{text.trim().replace(/ +$/gm, '')}</p>
    </section>
  );
}

function Sum({ lines }: { lines: readonly SumLine[] }) {
  return (
    <DataTable
      className="registration-table registration-sums"
      caption="How it adds up"
      rows={lines.map((line) => [sumLineWords(line), formatCents(line.cents)])}
      foot={['In all', formatCents(totalOf([{ sum: lines }]))]}
      classes={[undefined, 'registration-sum']}
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
