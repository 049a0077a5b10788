/** Texts of the details on a registrant's page, and of the forms that correct them. */
export const detailsWords = {
  title: 'Your details',
  name: 'Name',
  email: 'E-mail',
  phone: 'Phone',
  correct: 'Correct your name or phone',
  changeAddress: 'Change your e-mail address',
  asked: (address: string) =>
    `Waiting for you to confirm ${address}: open the link in the letter that we sent there. Until then we write to the address above.`,
  askAgain: 'Ask with another address, or again',
  drop: 'Keep the address as it is',
} as const;

/** Why she cannot give both another name and another address than those that paid. */
export const handOverWords =
  'Both the name and the e-mail address would then differ from those with which the place was paid for. A place cannot be handed over to somebody else on this page: please write to the retreat office, which asks both of you.';

/** Shown at the top of her page while letters to her bounce. */
export const unreachableWords = {
  title: 'Our e-mail does not reach you',
  text: (email: string) =>
    `A letter that we sent to ${email} came back, so we have stopped writing there. Please give us an address that works; we send it a letter with a link to confirm it, and then what you have missed.`,
  /** While a part of the tuition is open. */
  charge:
    'Until then nothing is charged to your card automatically: we charge nothing that we could not announce to you in time. If you would rather not wait, you can pay on this page.',
  isRight: (email: string) =>
    `Is ${email} right after all? Then please tell the office, and we will try it again.`,
} as const;

/** The page on which she corrects her name and phone number. */
export const correctWords = {
  title: 'Correct your details',
  lede: 'Your name as it appears on your page and your receipts, and the number at which we can reach you.',
  firstName: 'First name',
  lastName: 'Last name',
  phoneNumber: 'Phone',
  phoneKept: (masked: string) => `Leave it empty to keep ${masked}.`,
  proofNote: 'So that nobody but you changes them.',
  submit: 'Save',
} as const;

/** The page on which she takes all that is kept about her. */
export const dataWords = {
  title: 'What we keep about you',
  link: 'Download what we keep about you',
  lede: 'All that our database holds about you, also the notes of our office, as a file. What you answered about your health is not in it: ask the office, and it sends you that too.',
  as: 'As',
  formats: { text: 'A text to read', json: 'A file for programs (JSON)' },
  fileName: 'what-we-keep-about-you',
  proofNote: 'So that nobody but you reads it.',
  submit: 'Download',
} as const;

/** The page on which she changes her e-mail address. */
export const addressWords = {
  /** With a word joiner, so that no line breaks after the hyphen. */
  title: 'Change your e-\u2060mail address',
  lede: (email: string) =>
    `We write to ${email}. We send a letter to the new address; once you open its link and press the button there, we write to that one.`,
  email: 'New e-mail address',
  same: 'This is the address that we write to already',
  proofNote: 'So that nobody but you can redirect your letters.',
  afterwards:
    'The links in earlier letters then no longer work, and one last letter goes to the old address.',
  submit: 'Send the letter',
} as const;

/** The page on which she drops an address that she has not confirmed. */
export const dropPageWords = {
  title: 'Keep the address as it is',
  lede: 'The link in the letter to the new address then confirms nothing, and we go on writing to the one that we have.',
  proofNote: 'So that nobody but you stops the change.',
  submit: 'Keep the address',
} as const;

/** The form by which she agrees to publication; she takes that back on her page. */
export const publicationFormWords = {
  link: 'Agree to it',
  proofNote: 'So that nobody but you agrees to it.',
  submit: 'I agree',
} as const;

/** The pages that the link in the letter to the new address leads to. */
export const confirmWords = {
  title: 'Is this your address?',
  text: (siteName: string) =>
    `Somebody who has a place with ${siteName} asked us to write to this address from now on. If that was you, please press the button. If it was not, close this page: nothing changes.`,
  submit: 'Yes, write to me here',
  doneTitle: 'Thank you',
  done: 'From now on we write to this address. The links in earlier letters no longer open your page: have a new one sent here.',
  newLink: 'Send me the new link',
  help: 'If something is unclear, the office helps:',
} as const;
