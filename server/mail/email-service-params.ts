import type { MailMessageData } from 'nodemailer';
import * as v from 'valibot';

const optionalText = v.nullish(v.string(), '');
const addresses = v.nullish(v.array(v.object({ name: optionalText, address: optionalText })), []);

/** A message as nodemailer's `normalize` leaves it: contents read, addresses parsed, attachments in base64. */
const messageSchema = v.object({
  from: v.nullish(v.object({ name: optionalText, address: optionalText })),
  to: addresses,
  replyTo: addresses,
  subject: optionalText,
  text: optionalText,
  html: optionalText,
  messageId: optionalText,
  attachments: v.nullish(
    v.array(
      v.object({
        filename: v.string(),
        contentType: v.string(),
        content: v.string(),
        encoding: optionalText,
      }),
    ),
    [],
  ),
});
type Attachment = v.InferOutput<typeof messageSchema>['attachments'][number];

/**
 * The variables that a template of the e-mail service may use, as flat strings (R5.2). Every part that a mail
 * may have is present, so that no template prints a placeholder; attachments follow as `attachment_1` (a data
 * URL) and `attachment_1_name`, and so on: a template that names none of them sends no attachment.
 * @throws {v.ValiError} when nodemailer's data are not what they should be
 */
export function templateParams(data: MailMessageData): Record<string, string> {
  const message = v.parse(messageSchema, data);
  return {
    from_name: message.from?.name ?? '',
    from_email: message.from?.address ?? '',
    to_name: joined(message.to, 'name'),
    to_email: joined(message.to, 'address'),
    reply_to: joined(message.replyTo, 'address'),
    subject: message.subject,
    message: message.text,
    message_html: message.html,
    message_id: message.messageId,
    ...Object.assign({}, ...message.attachments.map(attachmentParams)),
  };
}

function joined(list: readonly { name: string; address: string }[], part: 'name' | 'address'): string {
  return list.map((entry) => entry[part]).join(', ');
}

/** nodemailer passes text on unchanged and encodes bytes as base64. */
function attachmentParams(attachment: Attachment, index: number): Record<string, string> {
  const { filename, contentType, content, encoding } = attachment;
  const base64 = encoding === 'base64' ? content : Buffer.from(content).toString('base64');
  return {
    [`attachment_${index + 1}`]: `data:${contentType.replaceAll(' ', '')};base64,${base64}`,
    [`attachment_${index + 1}_name`]: filename,
  };
}
