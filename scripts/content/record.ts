import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import { stringify } from 'yaml';
import type { AgreedTerms, Facts } from '#shared/content/edition.ts';
import { balanceTermsOf, compileEdition } from './compile-edition.ts';
import type { ContentProblem } from './problems.ts';
import type { EditionFolder } from './read-edition.ts';

const NOTE = `# Written by \`npm run content -- --record\`: digests of the terms that were published. They keep their text for as long
# as they keep their version, since a registrant agrees to both.
`;

const AGREED_NOTE = `# Written by \`npm run content -- --record\`: the terms of this version as people agree to them. They never change.
`;

/**
 * Reports terms whose text changed although their version did not, terms that nobody recorded yet, versions
 * whose agreed text is missing or changed, and agreed texts of versions that are not on record. The same for questions.
 */
export function* checkRecord(folder: EditionFolder): Iterable<ContentProblem> {
  const { problem } = folder;
  const { facts, terms, agreed } = compileEdition(folder);
  const recorded = folder.written.record.terms;
  const digest = recorded[terms.version];
  if (digest === undefined) {
    const says = `version ${terms.version} is new: once its text is right, run npm run content -- --record`;
    yield problem('terms', ['version'], says);
  } else if (digest !== terms.digest || !isBalanceKept(facts, agreed, terms.version)) {
    const says = `the text, or a price or date in it, is no longer what people agreed to as version ${terms.version}: put it back, or count the version up and run npm run content -- --record`;
    yield problem('terms', ['version'], says);
  }
  for (const [version, digest] of Object.entries(recorded)) {
    const kept = agreed.find((one) => one.version === version);
    if (kept?.digest === digest) continue;
    const changed = 'this is not the text that was recorded: put it back';
    const missing = `the text that people agreed to as version ${version} is missing: put agreed/${version}.yaml back, or, if this is the version in terms.yaml, run npm run content -- --record`;
    yield kept ? problem(`agreed/${version}`, [], changed) : problem('record', ['terms', version], missing);
  }
  for (const { version } of agreed) {
    const says =
      'record.yaml holds no such version: delete this file if it came with a copy of another edition';
    if (!(version in recorded)) yield problem(`agreed/${version}`, [], says);
  }
  yield* checkAsked(folder);
}

/**
 * Reports questions that are not on record yet, and those on record that are not asked any more: her answers are kept
 * under the id, so a question with another id is another question.
 */
function* checkAsked({ written, problem }: EditionFolder): Iterable<ContentProblem> {
  const { items = [], ended = [] } = written.edition.questions ?? {};
  const recorded = written.record.questions ?? [];
  for (const [index, { id }] of items.entries()) {
    const says = `the question ${id} is new: once its words are right, run npm run content -- --record`;
    if (!recorded.includes(id)) yield problem('edition', ['questions', 'items', index, 'id'], says);
  }
  for (const id of recorded) {
    if (ended.includes(id) || items.some((item) => item.id === id)) continue;
    const says = `the question ${id} may have been answered, and its answers are kept under this id: put the id back, or, if it is asked no more, name it in questions.ended`;
    yield problem('edition', ['questions'], says);
  }
}

function isBalanceKept(facts: Facts, agreed: readonly AgreedTerms[], version: string): boolean {
  const kept = agreed.find((one) => one.version === version);
  return !kept || isDeepStrictEqual(balanceTermsOf(kept), balanceTermsOf(facts));
}

/**
 * Records the terms of an edition under their version: a digest in `record.yaml`, the text with its prices and dates in
 * `agreed/`, so that it can still be read when there is a newer one; and the ids of the questions. Existing records are
 * not changed.
 */
export async function recordTerms(folder: EditionFolder): Promise<void> {
  const { facts, terms, agreed } = compileEdition(folder);
  const { version, digest, policies } = terms;
  const recorded = folder.written.record.terms;
  const { items = [] } = folder.written.edition.questions ?? {};
  const asked = new Set([...(folder.written.record.questions ?? []), ...items.map(({ id }) => id)]);
  const record = {
    ...folder.written.record,
    terms: { [version]: digest, ...recorded },
    ...(asked.size > 0 && { questions: [...asked] }),
  };
  await writeFile(join(folder.path, 'record.yaml'), `${NOTE}${stringify(record)}`);
  const isKept = agreed.some((one) => one.version === version);
  if (isKept || (recorded[version] ?? digest) !== digest) return;
  await mkdir(join(folder.path, 'agreed'), { recursive: true });
  const text = `${AGREED_NOTE}${stringify({ version, ...balanceTermsOf(facts), policies }, { lineWidth: 110 })}`;
  await writeFile(join(folder.path, 'agreed', `${version}.yaml`), text);
}
