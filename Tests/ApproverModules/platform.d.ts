/** Parts of browsers that this version of TypeScript does not know, and places for the app's own marks on elements. */

/** The element of a tag with classes, such as `p.hint`. */
type Made<Name extends string> = Name extends `${infer Tag}.${string}` ? MadeOf<Tag> : MadeOf<Name>;
type MadeOf<Tag extends string> = Tag extends keyof HTMLElementTagNameMap ? HTMLElementTagNameMap[Tag] : HTMLElement;

interface ParentNode {
  querySelector<Name extends string>(selectors: Name): MadeOf<Name> | null;
  querySelectorAll<Name extends string>(selectors: Name): NodeListOf<MadeOf<Name>>;
}
interface HTMLElement {
  /** Shows the time anew. */
  update?: () => void;
}

interface Navigator {
  readonly standalone?: boolean;
  setAppBadge?(number: number): Promise<void>;
  clearAppBadge?(): Promise<void>;
}

interface TrustedTypePolicy {
  createScriptURL(input: string): string;
}
declare var trustedTypes: undefined | {
  createPolicy(name: string, rules: { createScriptURL(input: string): string }): TrustedTypePolicy;
};

/** The worker's own scope. */
interface Window {
  readonly registration: ServiceWorkerRegistration;
  readonly clients: {
    matchAll(options: object): Promise<WorkerPage[]>;
    claim(): Promise<void>;
    openWindow(url: string): Promise<WorkerPage | null>;
  };
  skipWaiting(): Promise<void>;
  addEventListener(type: string, listener: (event: WorkerEvent) => void): void;
}
interface WorkerPage {
  readonly url: string;
  readonly visibilityState: string;
  readonly focused: boolean;
  focus(): Promise<WorkerPage>;
  postMessage(message: object): void;
}
/** An event of the worker, whose members depend on its type. */
interface WorkerEvent extends Event {
  readonly request: Request;
  readonly data: { json(): Record<string, any> | null };
  readonly notification: Notification;
  readonly oldSubscription: PushSubscription | null;
  readonly newSubscription: PushSubscription | null;
  waitUntil(work: Promise<unknown>): void;
  respondWith(answer: Promise<Response>): void;
}
