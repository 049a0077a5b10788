import type { ReactNode } from 'react';
import { ownPageWords } from '#shared/content/own-page-words.ts';
import { ownPagePaths } from '#shared/own-page.ts';

const { close, closeNote, closeSure, leave, leaveNote } = ownPageWords;

/** Closes her page in every browser; a program that presses what it finds in a letter sets no tick. */
export function CloseForm({ token }: { token: string }) {
  return (
    <PressForm action={ownPagePaths.close} token={token} submit={close} note={closeNote}>
      <label className="place-sure">
        <input type="checkbox" name="sure" required /> <span>{closeSure}</span>
      </label>
    </PressForm>
  );
}

/** Closes her page in this browser. */
export function LeaveForm({ token }: { token: string }) {
  return <PressForm action={ownPagePaths.leave} token={token} submit={leave} note={leaveNote} />;
}

interface PressFormProps {
  action: string;
  token: string;
  submit: string;
  note: string;
  children?: ReactNode;
}

/** A form with one button. */
export function PressForm({ action, token, submit, note, children }: PressFormProps) {
  return (
    <form className="place-press-form" method="post" action={action}>
      <input type="hidden" name="token" value={token} />
      <p>{note}</p>
      {children}
      <button type="submit" className="button button--quiet">
        {submit}
      </button>
    </form>
  );
}
