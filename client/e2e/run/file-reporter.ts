import { relative } from 'node:path';
import type { Reporter, TestCase, TestResult } from '@playwright/test/reporter';
import { writeFileResult } from '#scripts/test/test-files.ts';

/** Tells `npm test` what each file's tests came to. */
export default class FileReporter implements Reporter {
  onTestEnd({ location, expectedStatus }: TestCase, { status, duration }: TestResult): void {
    writeFileResult({
      file: relative('.', location.file),
      passed: Number(status === 'passed'),
      failed: Number(status !== expectedStatus),
      ms: duration,
    });
  }
}
