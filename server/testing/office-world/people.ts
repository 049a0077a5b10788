import type { Contact } from '#shared/registration.ts';

/** Invented names that lists, letters and spreadsheets easily get wrong. */
const UNUSUAL: readonly (readonly [first: string, last: string])[] = [
  ['Zoë', 'Åström-Nuñez'],
  ['Siobhán', 'O’Hara'],
  ["D'Arcy", "O'Neil"],
  ['נועה', 'לוי'],
  ['مريم', 'الفاسي'],
  ['さくら', '高橋'],
  ['<script>alert(1)</script>', '<b>Bold</b> & Sons'],
  ['=1+1', '@SUM(A1:A9)'],
  ['+49', '-2+3'],
  ['"Quote", Comma', 'Semi;colon'],
  ['Wilhelmine Friederike Auguste Charlotte', `von ${'Hohenberg-Langenfels-'.repeat(4)}Ende`],
  ['Donaudampfschifffahrtsgesellschaftskapitänswitwe', 'Übermäßiglangenamensträgerin'],
  ['Ng', 'O'],
  ['Ivana', 'Žižek Čapková'],
];

const FIRST =
  'Ada Bruna Carla Delphine Edda Frida Greta Hanna Ines Judith Klara Lena Mina Nora Olga Paula'.split(' ');
const LAST =
  'Amsel Birkner Courtois Drossel Eichhorn Fuchs Grünwald Hirsch Igel Jansen Kranich Lachs Möwe'.split(' ');

/** The person with a number: each has her own name and address. Letters to some addresses are refused. */
export function officePerson(number: number, isRefused: boolean): Contact {
  const spread = number - UNUSUAL.length;
  const usual = [FIRST[spread % FIRST.length], LAST[Math.floor(spread / FIRST.length) % LAST.length]];
  const [firstName = '', lastName = ''] = UNUSUAL[number] ?? usual;
  const domain = isRefused ? REFUSED_DOMAIN : 'people.example';
  return {
    firstName,
    lastName,
    email: `person.${number}@${domain}`,
    phoneNumber: `+1 (555) 555-${String(1000 + number)}`,
  };
}

const REFUSED_DOMAIN = 'refused.example';

/** Whether the mail server permanently refuses all letters to an address. */
export function isRefusedAddress(email: string): boolean {
  return email.endsWith(`@${REFUSED_DOMAIN}`);
}
