import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { stringify } from 'yaml';
import { compileEdition } from './compile-edition.ts';
import type { ContentProblem } from './problems.ts';
import type { EditionFolder } from './read-edition.ts';
import type { Written } from './schemas.ts';

const NOTE = `# Written by programs: digests of what was published.
# terms, by \`npm run content -- --record\`: they keep their text for as long as they keep their version, since a
# registrant agrees to both. socialCard, by \`npm run social-card\`: the words and colours that were drawn last.
`;

const AGREED_NOTE = `# Written by \`npm run content -- --record\`: the terms of this version as people agree to them. They never change.
`;

/**
 * Reports terms whose text changed although their version did not, terms that nobody recorded yet, versions
 * whose agreed text is missing or changed, and agreed texts of versions that are not on record.
 */
export function checkRecord(folder: EditionFolder): ContentProblem[] {
  const { terms, agreed } = compileEdition(folder);
  const recorded = folder.written.record.terms;
  const problems: ContentProblem[] = [];
  const digest = recorded[terms.version];
  if (digest === undefined) {
    const says = `version ${terms.version} is new: once its text is right, run npm run content -- --record`;
    problems.push(folder.problem('terms', ['version'], says));
  } else if (digest !== terms.digest) {
    const says = `the text, or a price or date in it, is no longer what people agreed to as version ${terms.version}: put it back, or count the version up and run npm run content -- --record`;
    problems.push(folder.problem('terms', ['version'], says));
  }
  for (const [version, digest] of Object.entries(recorded)) {
    const kept = agreed.find((one) => one.version === version);
    if (kept?.digest === digest) continue;
    problems.push(
      kept
        ? folder.problem(`agreed/${version}`, [], 'this is not the text that was recorded: put it back')
        : folder.problem(
            'record',
            ['terms', version],
            `the text that people agreed to as version ${version} is missing: put agreed/${version}.yaml back, or, if this is the version in terms.yaml, run npm run content -- --record`,
          ),
    );
  }
  for (const { version } of agreed) {
    if (version in recorded) continue;
    const says =
      'record.yaml holds no such version: delete this file if it came with a copy of another edition';
    problems.push(folder.problem(`agreed/${version}`, [], says));
  }
  return problems;
}

/**
 * Records the terms of an edition under their version: a digest in `record.yaml`, the text with its prices and dates in
 * `agreed/`, so that it can still be read when there is a newer one. Existing records are not changed.
 */
export async function recordTerms(folder: EditionFolder): Promise<void> {
  const { terms, agreed } = compileEdition(folder);
  const { version, digest, policies } = terms;
  const recorded = folder.written.record.terms;
  await writeRecord(folder, { terms: { [version]: digest, ...recorded } });
  const isKept = agreed.some((one) => one.version === version);
  if (isKept || (recorded[version] ?? digest) !== digest) return;
  await mkdir(join(folder.path, 'agreed'), { recursive: true });
  const text = `${AGREED_NOTE}${stringify({ version, policies }, { lineWidth: 110 })}`;
  await writeFile(join(folder.path, 'agreed', `${version}.yaml`), text);
}

/** Changes the record of an edition; fields that `changes` does not contain keep their values. */
export async function writeRecord(
  { path, written }: EditionFolder,
  changes: Partial<Written['record']>,
): Promise<void> {
  await writeFile(join(path, 'record.yaml'), `${NOTE}${stringify({ ...written.record, ...changes })}`);
}
