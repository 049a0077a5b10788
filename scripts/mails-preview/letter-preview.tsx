import { createTransport } from 'nodemailer';
import { letterContext } from '#scripts/world/letters.ts';
import type { MailAttachment, Message } from '#server/mail/letters/compose-message.ts';
import { facts } from '#shared/content/compiled/on-sale/facts.ts';

const widths = { phone: 360, desktop: 760 };

interface LetterPreviewProps {
  /** The URL path of the letter's own page. */
  path: string;
  message: Message;
  head: string;
}

/** One letter in all its forms: HTML, plain text, headers and attachments. */
export function LetterPreview({ path, message, head }: LetterPreviewProps) {
  const { subject, text, attachments = [] } = message;
  return (
    <>
      <p>
        <a href="/">All mails</a>
      </p>
      <h1>
        <bdi>{subject}</bdi>
      </h1>
      <h2>HTML</h2>
      <Frames path={path} />
      <h2>Plain text</h2>
      <pre>{text}</pre>
      <h2>Headers</h2>
      <pre>{head}</pre>
      <h2>Attachments</h2>
      <Attachments path={path} attachments={attachments} />
    </>
  );
}

function Frames({ path }: { path: string }) {
  return (
    <div className="frames">
      {schemes.flatMap((scheme) =>
        Object.entries(widths).map(([device, width]) => (
          <figure key={`${scheme} ${device}`}>
            <figcaption>{`${device}, ${scheme}`}</figcaption>
            <iframe title={`${device}, ${scheme}`} sandbox="" width={width} src={`${path}/html/${scheme}`} />
          </figure>
        )),
      )}
    </div>
  );
}

function Attachments({ path, attachments }: { path: string; attachments: readonly MailAttachment[] }) {
  if (attachments.length === 0) return <p>None</p>;
  return (
    <ul>
      {attachments.map(({ filename, contentType }, index) => (
        <li key={filename}>
          <a href={`${path}/attachments/${index}`}>{filename}</a> ({contentType})
        </li>
      ))}
    </ul>
  );
}

/** The colour schemes that a reader's system may prefer. */
export const schemes = ['light', 'dark'] as const;
export type Scheme = (typeof schemes)[number];

export function isScheme(name: string): name is Scheme {
  return schemes.some((scheme) => scheme === name);
}

/** A letter as it looks in one colour scheme, whichever this machine prefers. */
export function showIn(scheme: Scheme, html: string): string {
  const applies = scheme === 'dark' ? 'all' : 'not all';
  return html
    .replaceAll('(prefers-color-scheme: dark)', applies)
    .replace('content="light dark"', `content="${scheme}"`);
}

const transport = createTransport({ streamTransport: true, buffer: true });

/** The headers of a mail as nodemailer writes them for a mail server. */
export async function writeHead(message: Message): Promise<string> {
  const from = { name: facts.siteName, address: letterContext.office.email };
  const sent = await transport.sendMail({ from, messageId: '<preview@retreat.example>', ...message });
  const [head = ''] = sent.message.toString().split('\r\n\r\n');
  return head.replaceAll('\r\n', '\n');
}
