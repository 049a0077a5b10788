import { HERSELF, writeAct } from '#server/record/acts.ts';
import { ACTS, actsOfHolder, publicationOf, type Register } from '#server/record/on-record.ts';
import type { Whose } from '#server/record/registration-record.ts';
import { publicationWords } from '#shared/content/publication.ts';

/**
 * Records whether a registrant agrees that her likeness is published, with the sentence that she read; nothing where that is
 * on record, as it is that she does not where she never did.
 * @returns whether something changed
 * @see https://eur-lex.europa.eu/eli/reg/2016/679/oj Article 7
 */
export async function recordPublication(
  { database }: Register,
  { id }: Whose,
  agrees: boolean,
  at: Date,
): Promise<boolean> {
  return writeAct(database, id, (acts) => {
    const before = publicationOf({ acts: actsOfHolder(acts) })?.agrees ?? false;
    if (before === agrees) return undefined;
    const facts = { agrees, says: publicationWords.tick };
    return { kind: ACTS.publication, at, by: HERSELF, facts };
  });
}
