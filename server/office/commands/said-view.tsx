import { DataTable } from '#server/office/parts.tsx';
import { sumLineWords } from '#server/office/words.ts';
import type { SumLine } from '#shared/content/tuition.ts';
import { formatCents } from '#shared/money.ts';
import { type LetterReading, type Said, totalOf } from './command.ts';

interface When {
  /** It was done, and would not only be. */
  isDone?: boolean;
}

/** What would be done, or was. */
export function SaidView({ says, isDone = false }: { says: readonly Said[] } & When) {
  return says.map((said) => <OneSaid key={JSON.stringify(said)} said={said} isDone={isDone} />);
}

function OneSaid({ said, isDone = false }: { said: Said } & When) {
  if (typeof said === 'string') return <p>{/^https?:\S+$/.test(said) ? <code>{said}</code> : said}</p>;
  if ('letter' in said) return <LetterView letter={said.letter} />;
  if ('compared' in said) return <Compared rows={said.compared} isDone={isDone} />;
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
function Compared({ rows, isDone }: { rows: readonly (readonly [string, string, string])[] } & When) {
  const [first, second] = isDone ? ['Before', 'Now'] : ['Now', 'Then'];
  return (
    <table className="table table--narrow table--stacked">
      <caption>How it stands</caption>
      <thead>
        <tr>
          <td />
          <th scope="col">{first}</th>
          <th scope="col">{second}</th>
        </tr>
      </thead>
      <tbody>
        {rows.map(([name, now, then]) => (
          <tr key={name}>
            <th scope="row">{name}</th>
            <td data-label={first}>{now}</td>
            <td data-label={second}>{then}</td>
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
