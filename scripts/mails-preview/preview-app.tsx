import express, { type Express, type Response } from 'express';
import type { ReactNode } from 'react';
import { renderToStaticMarkup } from 'react-dom/server';
import { contextWithOffice, everyLetter, readers } from '#scripts/world/letters.ts';
import { composeMessage, type Message } from '#server/mail/letters/compose-message.ts';
import { edition } from '#shared/content/compiled/on-sale/edition.ts';
import { isScheme, LetterPreview, showIn, writeHead } from './letter-preview.tsx';

/** A letter can only be looked at: it can run and load nothing. */
const LETTER_POLICY = "default-src 'none'; style-src 'unsafe-inline'; sandbox";
const PAGE_POLICY = "default-src 'none'; style-src 'unsafe-inline'; frame-src 'self'";

/** Shows each letter as its readers may see it, with sample data; nothing is sent. */
export function createPreviewApp(): Express {
  const app = express().disable('x-powered-by');
  app.get('/', (_req, res) => sendPage(res, 'Mails', <Contents />));

  app.get('/:sample/:letter', async (req, res, next) => {
    const message = findMessage(req.params);
    if (!message) return next();
    sendPage(
      res,
      message.subject,
      <LetterPreview path={req.path} message={message} head={await writeHead(message)} />,
    );
  });

  app.get('/:sample/:letter/html/:scheme', (req, res, next) => {
    const message = findMessage(req.params);
    const { scheme } = req.params;
    if (!message || !isScheme(scheme)) return next();
    res.set('Content-Security-Policy', LETTER_POLICY).send(showIn(scheme, message.html));
  });

  app.get('/:sample/:letter/attachments/:index', (req, res, next) => {
    const attachment = findMessage(req.params)?.attachments?.[Number(req.params.index)];
    if (!attachment) return next();
    res.attachment(attachment.filename).type(attachment.contentType).send(attachment.content);
  });
  return app;
}

function findMessage({ sample, letter }: { sample: string; letter: string }): Message | undefined {
  const jobs = Object.hasOwn(readers, sample) ? everyLetter(readers[sample]?.person, edition) : {};
  const job = Object.hasOwn(jobs, letter) ? jobs[letter] : undefined;
  return job && composeMessage(job, contextWithOffice);
}

function sendPage(res: Response, title: string, children: ReactNode): void {
  const page = renderToStaticMarkup(
    <html lang="en">
      <head>
        <meta charSet="utf-8" />
        <meta name="viewport" content="width=device-width, initial-scale=1" />
        <title>{title}</title>
        <style>{PAGE_STYLES}</style>
      </head>
      <body>{children}</body>
    </html>,
  );
  res.set('Content-Security-Policy', PAGE_POLICY).send(`<!doctype html>${page}`);
}

const PAGE_STYLES = `
:root { color-scheme: light dark; font: 16px/1.5 system-ui, sans-serif }
body { margin: 2rem }
pre { padding: 1rem; border: 1px solid; white-space: pre-wrap; overflow-wrap: anywhere; max-width: 80ch }
.frames { display: flex; flex-wrap: wrap; gap: 1.5rem; align-items: flex-start }
figure { margin: 0 }
iframe { display: block; border: 1px solid; height: 52rem; max-width: 100% }`;

function Contents() {
  return (
    <>
      <h1>Mails</h1>
      {Object.entries(readers).map(([name, { label }]) => (
        <section key={name}>
          <h2>{label}</h2>
          <ul>
            {Object.keys(everyLetter()).map((letter) => (
              <li key={letter}>
                <a href={`/${name}/${letter}`}>{letter.replaceAll('-', ' ')}</a>
              </li>
            ))}
          </ul>
        </section>
      ))}
    </>
  );
}
