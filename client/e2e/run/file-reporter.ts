import { relative } from 'node:path';
import type { Reporter, TestCase, TestResult } from '@playwright/test/reporter';
import { writeFileResult } from '#scripts/test/report.ts';
import { CPU_ANNOTATION } from './test.ts';

/** Tells `npm test` what each file's tests came to. */
export default class FileReporter implements Reporter {
  onTestEnd({ location, expectedStatus }: TestCase, { status, duration, annotations }: TestResult): void {
    const cpu = annotations.find(({ type }) => type === CPU_ANNOTATION)?.description;
    writeFileResult({
      file: relative('.', location.file),
      passed: Number(status === 'passed'),
      failed: Number(status !== expectedStatus),
      wallMs: duration,
      cpuMs: Number(cpu ?? 0),
    });
  }
}
