import { DataTable, DetailsList } from '#server/office/parts.tsx';
import type { Said } from './command.ts';

interface SaidProps {
  says: readonly Said[];
  isDone?: boolean;
}

/** What would be done, or was; a letter that was shown before is not repeated. */
export function SaidView({ says, isDone = false }: SaidProps) {
  return says.map((said) => {
    const key = JSON.stringify(said);
    if (typeof said === 'string')
      return <p key={key}>{/^https?:\S+$/.test(said) ? <code>{said}</code> : said}</p>;
    if ('rows' in said) return <DetailsList key={key} rows={said.rows} />;
    if ('letter' in said)
      return isDone ? null : (
        <section key={key} className="letter-reading" aria-labelledby="letter-reading">
          <h3 id="letter-reading">{said.letter.subject}</h3>
          <p className="as-written">{said.letter.text.trim().replace(/ +$/gm, '')}</p>
        </section>
      );
    return (
      <DataTable
        key={key}
        className="table table--narrow table--stacked"
        caption="How it stands"
        columns={[
          ['What', ([name]) => name],
          [isDone ? 'Before' : 'Now', ([, now]) => now],
          [isDone ? 'Now' : 'Then', ([, , then]) => then],
        ]}
        rows={said.compared}
      />
    );
  });
}
