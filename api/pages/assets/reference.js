// The API reference: our own document, tried out against this gateway. Requests are marked, so that they are counted separately.
// swagger-ui has dark colours under a class.
const dark = matchMedia('(prefers-color-scheme: dark)');
const follow = () => document.documentElement.classList.toggle('dark-mode', dark.matches);
dark.addEventListener('change', follow);
follow();

const root = /** @type {HTMLElement} */ (document.getElementById('swagger-ui'));

const { clientId, apiKey } = root.dataset;

/** @typedef {{ loadSpec?: boolean, headers: Record<string, string> }} SwaggerRequest */
/**
 * The page loads the script of swagger-ui before this file.
 * @type {(options: object) => { preauthorizeBasic(scheme: string, user: string, password: string): void }}
 */
const showReference = Reflect.get(window, 'SwaggerUIBundle');

const reference = showReference({
  url: root.dataset.document,
  domNode: root,
  deepLinking: true,
  docExpansion: 'list',
  defaultModelsExpandDepth: 0,
  persistAuthorization: false,
  tryItOutEnabled: true,
  validatorUrl: null,
  // A sandbox fills in its credentials, so that "Execute" works at once.
  onComplete: () => {
    if (clientId && apiKey) reference.preauthorizeBasic('basic', clientId, apiKey);
  },
  requestInterceptor: (/** @type {SwaggerRequest} */ request) => {
    if (!request.loadSpec) request.headers['X-Interactive-Testing'] = 'true';
    return request;
  },
});
