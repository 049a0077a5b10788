import { MailDev } from 'maildev';
import { createTransport } from 'nodemailer';
import { isPortFree } from '#scripts/product/ports.ts';
import { composeMessage } from '#server/letters/compose-message.ts';
import { contextWithOffice, everyLetter, readers } from '#server/testing/sample-letters.ts';
import { edition } from '#shared/content/compiled/on-sale.ts';

const HOST = '127.0.0.1';
const port = Number(process.env.MAILS_PREVIEW_PORT || 1081);
if (!(await isPortFree(port))) {
  console.error(`Port ${port} is in use. Choose another port with MAILS_PREVIEW_PORT=….`);
  process.exit(1);
}

// A mailbox that gets each letter to each reader. The sender's name says which letter it is, and to whom.
const mailbox = new MailDev({ ip: HOST, smtp: 0, webIp: HOST, web: port, silent: true });
const { smtp } = await mailbox.start();
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => process.exit());

const transport = createTransport({ host: HOST, port: smtp.getAddress().port, pool: true, ignoreTLS: true });
const letters = Object.values(readers).flatMap(({ label, person }) =>
  Object.entries(everyLetter(person, edition)).map(([name, job]) => ({ name: `${label}: ${name}`, job })),
);
// The mailbox lists what came last first.
for (const { name, job } of letters.toReversed()) {
  const from = { name, address: contextWithOffice.office.email };
  await transport.sendMail({ from, ...composeMessage(job, contextWithOffice) });
}
transport.close();
console.log(`${letters.length} letters: http://${HOST}:${port}  (Ctrl-C ends)`);
