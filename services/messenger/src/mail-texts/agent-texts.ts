import type { MailLanguage } from '@switchboard/contracts';

/** The texts of mails and pushes to agents in one language. Arguments are plain text. */
interface AgentTexts {
  /** The number of conversations that wait. `hasMore`: there are more than these. */
  heading(count: number, hasMore: boolean): string;
  since(time: string, isOwn: boolean): string;
  /** The address that an answer goes to. */
  answer(address: string): string;
  /** How to answer one conversation, or one of several. */
  hint: { one: string; several: string };
  open: string;
  address: string;
  /** The reason why the recipient gets this mail. */
  why(project: string): string;
  preferences: string;
  /** The title of a push. */
  asks(project: string): string;
}

type Forms = { other: string } & Partial<Record<Intl.LDMLPluralRule, string>>;

/** Returns a heading from the forms of a language. # is the count. */
function headingIn(language: MailLanguage, forms: Forms, more: string) {
  const rules = new Intl.PluralRules(language);
  return (count: number, hasMore: boolean) =>
    (hasMore ? more : (forms[rules.select(count)] ?? forms.other)).replace('#', String(count));
}

export const agentTexts: Record<MailLanguage, AgentTexts> = {
  en: {
    heading: headingIn(
      'en',
      { one: '# conversation waits for an answer', other: '# conversations wait for an answer' },
      'More than # conversations wait for an answer',
    ),
    since: (time, isOwn) => `Since ${time}, ${isOwn ? 'assigned to you' : 'in your team'}`,
    answer: (address) => `Answer by email: ${address}`,
    hint: {
      one: 'To answer, reply to this email. The visitor gets your answer.',
      several: 'To answer, write to the address of a conversation. The visitor gets your answer.',
    },
    open: 'Open the inbox',
    address: 'Or open this address:',
    why: (project) => `You received this email because digests are on in your preferences for ${project}.`,
    preferences: 'Change your preferences',
    asks: (project) => `A visitor writes in ${project}`,
  },
  de: {
    heading: headingIn(
      'de',
      { one: '# Gespräch wartet auf eine Antwort', other: '# Gespräche warten auf eine Antwort' },
      'Mehr als # Gespräche warten auf eine Antwort',
    ),
    since: (time, isOwn) => `Seit ${time}, ${isOwn ? 'Ihnen zugewiesen' : 'in Ihrem Team'}`,
    answer: (address) => `Per E-Mail antworten: ${address}`,
    hint: {
      one: 'Antworten Sie einfach auf diese E-Mail. Der Besucher erhält Ihre Antwort.',
      several:
        'Schreiben Sie zum Antworten an die Adresse eines Gesprächs. Der Besucher erhält Ihre Antwort.',
    },
    open: 'Posteingang öffnen',
    address: 'Oder öffnen Sie diese Adresse:',
    why: (project) =>
      `Sie erhalten diese E-Mail, weil Zusammenfassungen in Ihren Einstellungen für ${project} eingeschaltet sind.`,
    preferences: 'Einstellungen ändern',
    asks: (project) => `Ein Besucher schreibt in ${project}`,
  },
  fr: {
    heading: headingIn(
      'fr',
      { one: '# conversation attend une réponse', other: '# conversations attendent une réponse' },
      'Plus de # conversations attendent une réponse',
    ),
    since: (time, isOwn) => `Depuis le ${time}, ${isOwn ? 'à vous' : 'dans votre équipe'}`,
    answer: (address) => `Répondre par e-mail : ${address}`,
    hint: {
      one: 'Pour répondre, répondez à cet e-mail. Le visiteur recevra votre réponse.',
      several: 'Pour répondre, écrivez à l’adresse d’une conversation. Le visiteur recevra votre réponse.',
    },
    open: 'Ouvrir la boîte de réception',
    address: 'Ou ouvrez cette adresse :',
    why: (project) =>
      `Vous recevez cet e-mail parce que les récapitulatifs sont activés dans vos préférences pour ${project}.`,
    preferences: 'Modifier vos préférences',
    asks: (project) => `Un visiteur écrit dans ${project}`,
  },
  es: {
    heading: headingIn(
      'es',
      { one: '# conversación espera una respuesta', other: '# conversaciones esperan una respuesta' },
      'Más de # conversaciones esperan una respuesta',
    ),
    since: (time, isOwn) => `Desde el ${time}, ${isOwn ? 'asignada a usted' : 'en su equipo'}`,
    answer: (address) => `Responder por correo: ${address}`,
    hint: {
      one: 'Para contestar, responda a este correo. El visitante recibirá su respuesta.',
      several:
        'Para contestar, escriba a la dirección de una conversación. El visitante recibirá su respuesta.',
    },
    open: 'Abrir la bandeja de entrada',
    address: 'O abra esta dirección:',
    why: (project) =>
      `Recibe este correo porque los resúmenes están activados en sus preferencias de ${project}.`,
    preferences: 'Cambiar sus preferencias',
    asks: (project) => `Un visitante escribe en ${project}`,
  },
  pt: {
    heading: headingIn(
      'pt',
      { one: '# conversa aguarda uma resposta', other: '# conversas aguardam uma resposta' },
      'Mais de # conversas aguardam uma resposta',
    ),
    since: (time, isOwn) => `Desde ${time}, ${isOwn ? 'atribuída a si' : 'na sua equipa'}`,
    answer: (address) => `Responder por e-mail: ${address}`,
    hint: {
      one: 'Para responder, responda a este e-mail. O visitante recebe a sua resposta.',
      several: 'Para responder, escreva para o endereço de uma conversa. O visitante recebe a sua resposta.',
    },
    open: 'Abrir a caixa de entrada',
    address: 'Ou abra este endereço:',
    why: (project) =>
      `Recebeu este e-mail porque os resumos estão ativos nas suas preferências de ${project}.`,
    preferences: 'Alterar as suas preferências',
    asks: (project) => `Um visitante escreve em ${project}`,
  },
  it: {
    heading: headingIn(
      'it',
      { one: '# conversazione attende una risposta', other: '# conversazioni attendono una risposta' },
      'Più di # conversazioni attendono una risposta',
    ),
    since: (time, isOwn) => `Dal ${time}, ${isOwn ? 'assegnata a lei' : 'nel suo team'}`,
    answer: (address) => `Rispondi via e-mail: ${address}`,
    hint: {
      one: 'Per rispondere, risponda a questa e-mail. Il visitatore riceve la sua risposta.',
      several:
        'Per rispondere, scriva all’indirizzo di una conversazione. Il visitatore riceve la sua risposta.',
    },
    open: 'Apri la posta in arrivo',
    address: 'Oppure apra questo indirizzo:',
    why: (project) =>
      `Riceve questa e-mail perché i riepiloghi sono attivi nelle sue preferenze per ${project}.`,
    preferences: 'Modifica le preferenze',
    asks: (project) => `Un visitatore scrive in ${project}`,
  },
  nl: {
    heading: headingIn(
      'nl',
      { one: '# gesprek wacht op een antwoord', other: '# gesprekken wachten op een antwoord' },
      'Meer dan # gesprekken wachten op een antwoord',
    ),
    since: (time, isOwn) => `Sinds ${time}, ${isOwn ? 'aan u toegewezen' : 'in uw team'}`,
    answer: (address) => `Per e-mail antwoorden: ${address}`,
    hint: {
      one: 'Beantwoord deze e-mail om te reageren. De bezoeker krijgt uw antwoord.',
      several: 'Schrijf naar het adres van een gesprek om te reageren. De bezoeker krijgt uw antwoord.',
    },
    open: 'Inbox openen',
    address: 'Of open dit adres:',
    why: (project) => `U ontvangt deze e-mail omdat overzichten aanstaan in uw voorkeuren voor ${project}.`,
    preferences: 'Voorkeuren wijzigen',
    asks: (project) => `Een bezoeker schrijft in ${project}`,
  },
  pl: {
    heading: headingIn(
      'pl',
      {
        one: '# rozmowa czeka na odpowiedź',
        few: '# rozmowy czekają na odpowiedź',
        other: '# rozmów czeka na odpowiedź',
      },
      'Ponad # rozmów czeka na odpowiedź',
    ),
    since: (time, isOwn) => `Od ${time}, ${isOwn ? 'przypisana do Ciebie' : 'w Twoim zespole'}`,
    answer: (address) => `Odpowiedz e-mailem: ${address}`,
    hint: {
      one: 'Aby odpowiedzieć, odpowiedz na tę wiadomość. Odwiedzający otrzyma Twoją odpowiedź.',
      several: 'Aby odpowiedzieć, napisz na adres rozmowy. Odwiedzający otrzyma Twoją odpowiedź.',
    },
    open: 'Otwórz skrzynkę odbiorczą',
    address: 'Lub otwórz ten adres:',
    why: (project) =>
      `Otrzymujesz tę wiadomość, ponieważ w Twoich preferencjach projektu ${project} włączone są podsumowania.`,
    preferences: 'Zmień preferencje',
    asks: (project) => `Nowa wiadomość od odwiedzającego: ${project}`,
  },
  ja: {
    heading: headingIn('ja', { other: '#件の会話が返信待ちです' }, '#件を超える会話が返信待ちです'),
    since: (time, isOwn) => `${time}から・${isOwn ? 'あなたの担当' : 'あなたのチーム'}`,
    answer: (address) => `メールで返信: ${address}`,
    hint: {
      one: '返信するには、このメールに返信してください。返信は訪問者に届きます。',
      several: '返信するには、会話のアドレスにメールを送ってください。返信は訪問者に届きます。',
    },
    open: '受信トレイを開く',
    address: 'または、このアドレスを開いてください:',
    why: (project) => `${project} の設定でダイジェストが有効になっているため、このメールをお送りしています。`,
    preferences: '設定を変更する',
    asks: (project) => `${project} に訪問者からメッセージがあります`,
  },
};
