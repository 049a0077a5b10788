import { appendFileSync, existsSync, readFileSync } from 'node:fs';
import * as v from 'valibot';

const fileResultSchema = v.object({
  file: v.string(),
  passed: v.number(),
  failed: v.number(),
  wallMs: v.number(),
  cpuMs: v.number(),
});

/** What the tests of one file came to. */
export type FileResult = v.InferOutput<typeof fileResultSchema>;

/** The variable that names the file in which the processes of a run write their results, a line each. */
const RESULTS = 'TEST_RESULTS';

/** Names the file for this process and those that it starts. */
export function collectFileResults(path: string): void {
  process.env[RESULTS] = path;
}

/** Writes a result, or a part of one, for the run that this process belongs to, if it does. */
export function writeFileResult(result: FileResult): void {
  const path = process.env[RESULTS];
  if (path !== undefined) appendFileSync(path, `${JSON.stringify(result)}\n`);
}

/** The results that were written, parts of one added up, sorted by file. */
export function readFileResults(): FileResult[] {
  const path = process.env[RESULTS];
  if (path === undefined || !existsSync(path)) return [];
  const sums = new Map<string, FileResult>();
  for (const line of readFileSync(path, 'utf8').split('\n').slice(0, -1)) {
    const part = v.parse(v.pipe(v.string(), v.parseJson(), fileResultSchema), line);
    const sum = sums.get(part.file);
    sums.set(part.file, sum ? addResults(sum, part) : part);
  }
  return [...sums.values()].sort((one, other) => one.file.localeCompare(other.file));
}

/** Adds up all figures; the file is that of the first. */
export function addResults(one: FileResult, other: FileResult): FileResult {
  return {
    file: one.file,
    passed: one.passed + other.passed,
    failed: one.failed + other.failed,
    wallMs: one.wallMs + other.wallMs,
    cpuMs: one.cpuMs + other.cpuMs,
  };
}
