import { readFileSync } from 'node:fs';
import { NoOperationTraceWriter, parseWorkflow } from '@actions/workflow-parser';

// A program of its own: GitHub's parser imports JSON in a way that needs tsx.
const [name = ''] = process.argv.slice(2);
const file = { name, content: readFileSync(name, 'utf8') };
for (const { message } of parseWorkflow(file, new NoOperationTraceWriter()).context.errors.getErrors()) {
  console.error(message);
  process.exitCode = 1;
}
