(()=>{var Xe={name:"ECDSA",hash:"SHA-256"};async function ke(e){let{kty:n,crv:t,x:i,y:s}=await crypto.subtle.exportKey("jwk",e);return{kty:n,crv:t,x:i,y:s}}async function K(e,n,t={typ:"JWT"}){let i=c=>I(ie(JSON.stringify(c))),s=`${i({alg:"ES256",...t})}.${i(n)}`;return`${s}.${I(await crypto.subtle.sign(Xe,e.privateKey,ie(s)))}`}var ie=e=>new TextEncoder().encode(e);function I(e){let n="";for(let t of new Uint8Array(e))n+=String.fromCharCode(t);return btoa(n).replaceAll("+","-").replaceAll("/","_").replaceAll("=","")}var ve=async e=>new Uint8Array(await crypto.subtle.digest("SHA-256",ie(e)));var B=class extends Error{constructor(n,t){super(n),this.code=n,this.status=t}},Z=class extends Error{},en="document"in globalThis?2e4:5e3,nn=["signed-digest","number-matching","number-typing",..."PublicKeyCredential"in globalThis?["passkeys"]:[]],tn=({generator:e})=>[...nn,...e?["one-time-code"]:[]];var $=0,on=()=>Date.now()+$,G=()=>Math.floor(on()/1e3);function sn(e){let n=Date.parse(e.headers.get("Date")??"");if(!Number.isNaN(n)&&!e.headers.has("Age")){let t=n+500-Date.now();Math.abs(t-$)>1500&&($=t)}}async function j(e,n={}){let t;try{t=await fetch(e,{cache:"no-store",credentials:"omit",redirect:"error",signal:AbortSignal.timeout(en),...n})}catch(s){throw new Z(String(s))}if(sn(t),t.ok)return t;let i=await t.json().catch(()=>({}));throw t.status>=500&&!i.errorCode?new Z(`status ${t.status}`):new B(i.errorCode??i.error,t.status)}var rn=["invalid_challenge","invalid_proof"];async function H(e,n){let t=$;try{return await n()}catch(i){if(!(i instanceof B)||i.status!==401&&($===t||!rn.includes(i.code)))throw i;return e.tokens.clear(),n()}}var O=(e,n,t={})=>({method:e,body:JSON.stringify(n),headers:{"Content-Type":"application/json",...t}}),W=class{constructor(n,t){this.base=n,this.account=t,this.tokens=new Map}async token(n){let t=this.tokens.get(n);if(t?.ahead===$&&t.until>G())return t.text;let i=G(),{id:s,userId:c,key:d}=this.account,a=await K(d,{iss:s,sub:c,aud:n,iat:i,exp:i+300});return this.tokens.set(n,{text:a,ahead:$,until:i+240}),a}own(n,t={}){let i=`${this.base}/api/device-accounts`;return H(this,async()=>{let s={...t.headers,Authorization:`Bearer ${await this.token(i)}`};return j(`${i}/${this.account.id}${n}`,{...t,headers:s})})}events(n,t){let i=`${this.base}/api/notifications`;return H(this,async()=>{let s={Authorization:`Bearer ${await this.token(i)}`,Accept:"text/event-stream"};return n&&(s["Last-Event-ID"]=n),j(`${i}?records=true`,{headers:s,signal:t})})}async record({txlnkid:n,txtkn:t}){let i=new URL(`/rich-consents/${encodeURIComponent(n)}`,this.base).href,s={typ:"dpop+jwt",jwk:await ke(this.account.key.publicKey)},c=I(await ve(t)),d=await H(this,async()=>{let w={htu:i,htm:"GET",ath:c,jti:crypto.randomUUID(),iat:G()},b=await K(this.account.key,w,s);return j(i,{headers:{Authorization:`MFA-DPoP ${t}`,"MFA-DPoP":b}})}),{id:a,record:h}=await d.json();if(a!==n||typeof h!="string")throw new B("no_record");return h}resolve({txtkn:n,c:t},i,s){let c=`${this.base}/api/resolve-transaction`;return H(this,async()=>{let d=G(),a={iss:this.account.identifier,sub:t,aud:c,iat:d,exp:d+30,auth0_guardian_method:"push",auth0_guardian_accepted:i.accepted,auth0_guardian_reason:i.reason,request_digest:I(i.digest),matching_pick:i.pick,reported:i.reported},h={challenge_response:await K(this.account.key,a),passkey:s};return j(c,O("POST",h,{Authorization:`Bearer ${n}`}))})}read=async n=>(await this.own(n)).json();pending=async()=>(await this.read("/pending?records=true")).requests;phones=()=>this.read("/devices");preferences=()=>this.read("/preferences");keepPreferences=n=>this.own("/preferences",O("PUT",n));passkey=()=>this.read("/passkey");keepPasskey=n=>this.own("/passkey",O("PUT",n));newPhone=async n=>(await this.own("/tickets",O("POST",{passkey:n}))).json();update=n=>this.own("",O("PATCH",n));remove=()=>this.own("",{method:"DELETE"});receipt=async n=>(await this.own(`/receipts/${encodeURIComponent(n)}`)).text();history(n){let t=new URLSearchParams({limit:"20",unanswered:"true",...n&&{before:n}});return this.read(`/requests?${t}`)}tell(n){let t=n&&JSON.stringify(n),i="document"in globalThis?void 0:this.account.capabilities?.split(" ");return this.update({capabilities:i??tn(this.account),...t&&{push_credentials:{service:"WEBPUSH",token:t}}})}},Se=(e,n,t)=>j(`${e}/api/device-accounts/${n}/farewell`,{method:"POST",headers:{Authorization:`Farewell id="${t}"`}});var Ae="/approver/farewell.json",xe=globalThis.localStorage;async function _(){let e={marks:[]};try{e={...e,...JSON.parse(xe?.getItem("approver")??"{}")}}catch{}let n=await globalThis.caches?.match(Ae).then(t=>t?.json()).catch(()=>{});return{...e,...n}}async function an(e){let n=JSON.stringify({...await _(),...e});try{xe?.setItem("approver",n)}catch{}await globalThis.caches?.open("marks").then(t=>t.put(Ae,new Response(n))).catch(console.error)}async function Te(e){let{base:n,marks:t}=await _(),i=t.filter(({id:s})=>!e.some(c=>c.id===s));for(let s of i){if(!s.farewell||!n)continue;await Se(n,s.id,s.farewell).then(()=>!0,d=>Boolean(d.code))&&await an({marks:(await _()).marks.map(d=>d.id===s.id?{...d,farewell:void 0}:d)})}return i}var E=class{constructor(n){this.text=n}},se=/[\t\n\r ]*(?:([{}[\]:,])|("(?:[^"\\]|\\.)*")|(-?\d+(?:\.\d+)?(?:[eE][-+]?\d+)?)|(true|false|null))/sy;function ze(e){let n=0,t=(a=`at ${n}`)=>{throw new SyntaxError(a)};function i(){se.lastIndex=n;let a=se.exec(e)??t();return n=se.lastIndex,a}function s(a,h){let w=n;if(i()[1]!==a)for(n=w;;){h();let[,b]=i();if(b===a)return;b!==","&&t()}}function c(){let[,a,h,w,b]=i();if(w)return new E(w);if(h??b)return JSON.parse(h??b);if(a==="["){let k=[];return s("]",()=>k.push(c())),k}a!=="{"&&t();let v=new Map;return s("}",()=>{let[,,k]=i();(!k||i()[1]!==":")&&t();let S=JSON.parse(k);v.has(S)&&t(`twice: ${S}`),v.set(S,c())}),v}let d=c();return e.slice(n).trim()&&t(),d}var cn=[new Map([["members",new Map([["at",new Map([["format","date-time"]])]])]])];function Le(e,n,t,i){let s=e.get("login");if(!(s instanceof Map))return;let c=L=>typeof L=="string"&&L?L:void 0,[d,a,h,w]=["application","browser","system","address"].map(L=>c(s.get(L))),b=s.get("place"),v=b instanceof Map?c(b.get(n))??c(b.get("en")):void 0,k=a??t("loginUnknownBrowser"),S=h?t("loginSoftware",{browser:k,system:h}):k,[{parts:[M]=[]}]=i([new Map([["at",s.get("at")??null]])],cn),P=[["loginBrowser",S],["loginPlace",v],["loginAddress",w],["loginTime",M?.text]];return{headline:t("loginHeadline",{application:d??""}),screen:S,rows:P.flatMap(([L,C])=>C?[{label:t(L),value:C}]:[])}}var ce=String.raw`\0-\x1f\x7f-\x9f\xad\u034f\u0600-\u0605\u061c\u06dd\u070f\u0890\u0891\u08e2\u115f\u1160\u17b4\u17b5\u180b-\u180f\u200b-\u200f\u2028-\u202e\u2060-\u206f\u2800\u2d7f\u3164\ud800-\uf8ff\ufe00-\ufe0f\ufeff\uffa0\ufff0-\ufffc\u{1107f}\u{110bd}\u{110cd}\u{13430}-\u{1343f}\u{16fe4}\u{1bca0}-\u{1bca3}\u{1d159}\u{1d173}-\u{1d17a}\u{e0000}-\u{e0fff}\u{f0000}-\u{10ffff}`,Me=String.raw`[\xa9\xae\u203c\u2049\u2122\u2139\u2190-\u27bf\u2934\u2935\u2b00-\u2bff\u3030\u303d\u3297\u3299\u{1f000}-\u{1faff}][\ufe0e\ufe0f]?`,un=String.raw`[\u0600-\u109f\u1780-\u18af\u1a00-\u1cff\ua800-\uabff\u{10a00}-\u{11fff}\u{1e900}-\u{1e95f}]`,ln=e=>[...e].map(n=>String.fromCodePoint(917504+n.charCodeAt(0))).join(""),Ce=`🏴(?:${["gbeng","gbsct","gbwls"].map(ln).join("|")})󠁿`,dn=new RegExp(String.raw`(${Ce}|${Me}(?:\u200d(?!${Ce})${Me})*|[\d#*]\ufe0f\u20e3|(?![${ce}])${un}[\u200c\u200d])|([${ce}])|[^]`,"gu"),pn=new RegExp(String.raw`[${ce}\p{M}]`,"u"),re=4,Ne=e=>/^[\p{Mn}\p{Me}]/u.test(e),Re=e=>`‹U+${Number(e.codePointAt(0)).toString(16).toUpperCase().padStart(4,"0")}›`;function Y(e){let n=String(e);if(!pn.test(n))return n;let t=re;return n.replace(dn,(i,s,c,d)=>{if(i===`
`&&n[d-1]!==`
`)return t=re,i;if(c)return Re(i);let[a,...h]=i;return Ne(a)?(t+=1,t>re?Re(a)+h.join(""):i):(/^\p{Mc}/u.test(a)||(t=h.filter(Ne).length),i)})}var z=e=>e instanceof Map?e:new Map,J=e=>Array.isArray(e)?e:[],ae=e=>e.toLowerCase().replace(/[\p{White_Space}_-]/gu,""),$e=e=>/^$|^["\p{White_Space}]|\p{White_Space}$/u.test(e),hn=e=>/: | \/ /.test(e),fn=new Set(["payee","payeename","payto","creditor","creditorname","recipient","recipientname","beneficiary","beneficiaryname","merchant","merchantname","to"]),mn=new Map([["EUR","€"],["GBP","£"],["USD","US$"]]),gn=24,Q=e=>typeof e=="string"&&/^[A-Z]{3}$/.test(e)?e:void 0;function q(e){let n=e instanceof E?e.text:e;return typeof n=="string"&&/^-?\d+(\.\d+)?$/.test(n)?n:void 0}function Ee(e,n,t){let i=e.toLowerCase(),[s]=i.split("-"),[c,d]=s==="fr"?[" ",","]:s==="de"?[".",","]:[",","."],a={hour:"2-digit",minute:"2-digit",second:"2-digit",fractionalSecondDigits:3,hourCycle:"h23",timeZoneName:"short"},h=o=>new Intl.DateTimeFormat(s==="en"?"en-GB":s,o),w=(o,r)=>h({dateStyle:"long",timeZone:r}).format(o).replace(s==="fr"?/^1 /:/^$/,"1er ");function b(o,r,u){let l=[...z(o.get(u))];for(let g of[i,s]){let f=l.find(([y])=>y.toLowerCase()===g)?.[1];if(typeof f=="string"&&f)return f}let p=o.get(r);return typeof p=="string"&&p?p:void 0}let v=o=>b(o,"label","labels"),k=o=>b(o,"description","descriptions"),S=(o,r)=>$e(o)||hn(o)||r.some(u=>u!==void 0&&ae(u)===ae(o))?JSON.stringify(o):o;function M(o,r){let[u,l]=o.replace("-","").split("."),p=o.startsWith("-")?"-":"",g=u.replace(/\B(?=(\d{3})+$)/g,c)+(l?d+l:""),f=mn.get(r);return f?s==="en"?`${p}${f}${g}`:`${p}${g} ${f}`:`${p}${g} ${r}`}function P(o){if(!(o instanceof Map)||o.size!==2)return;let[r,u]=[q(o.get("amount")??o.get("value")),Q(o.get("currency"))];return r&&u?{amount:r,currency:u,spell:M}:void 0}function L(o,r){let u=o.money??P(o.value);if(u||o.name!=="amount"&&o.name!=="value")return u;let[l,p]=[q(o.value),Q(r)];return l&&p?{amount:l,currency:p,spell:M}:void 0}function C(o,r=o.money??P(o.value)){return r?{text:M(r.amount,r.currency),money:r}:(typeof o.value=="string"?!/\P{White_Space}/u.test(o.value):o.value===null||o.value instanceof Map||Array.isArray(o.value))||o.text===void 0?void 0:{text:o.text}}let me=o=>fn.has(ae(o.name??""))&&C(o)!==void 0;function ge(o,r){if(!o.length)return;let u=r?n.payment.split(/\{(\w+)\}/).filter(Boolean).map(l=>l==="amount"?{text:o[0].text}:l==="payee"?{text:o[1].text}:{text:l,isOwn:!0}):o.flatMap(({text:l},p)=>[...p?[{text:" · ",isOwn:!0}]:[],{text:l}]);return{text:u.map(({text:l})=>l).join(""),parts:u,first:o[0].text,money:o.find(l=>l.money)?.money}}function Ge(o,r){let u=J(o).flatMap(p=>r.filter(g=>g.name===p).slice(0,1)).filter(p=>C(p)),l=u.flatMap(p=>C(p)??[]);return ge(l,l.length===2&&Boolean(l[0].money)&&me(u[1]))}function He(o,r){let u,l=!1;function p(g,f,y,T){let m=g.get("currency");for(let A of f){let D=L(A,m);if(!D){A.parts&&p(z(A.value),A.parts,y||Boolean(A.isList),A.isList?[]:[f,...T]);continue}if(l=!0,u||y)continue;let x=[f,...T].flat().find(me),F=[C(A,D),x&&C(x)].flatMap(oe=>oe??[]);u=ge(F,F.length===2)}}return p(o,r,!1,[]),{found:u,isMoney:l}}function we(o){let r=new Date(`${o}T00:00:00Z`);return/^\d{4}-\d\d-\d\d$/.test(o)&&!Number.isNaN(r.getTime())&&r.toISOString().startsWith(o)?w(r,"UTC"):void 0}function Ze(o){let r=/^(\d{4}-\d\d-\d\d)[Tt ]([01]\d|2[0-3]):([0-5]\d):([0-5]\d|60)(?:\.(\d+))?(?:[Zz]|([+-])([01]\d|2[0-3]):?([0-5]\d))$/.exec(o);if(!r||!we(r[1]))return;let[,u,l,p,g,f,y,T,m]=r,A=y?(Number(T)*60+Number(m))*(y==="-"?-6e4:6e4):0,D=Date.parse(`${u}T${l}:${p}:00Z`)+Number(g)*1e3+Number((f??"").slice(0,3).padEnd(3,"0"))-A,x=Object.fromEntries(h({...a,timeZone:t}).formatToParts(D).map(({type:oe,value:Ye})=>[oe,Ye])),F=x.fractionalSecond==="000"?x.second==="00"?"":`:${x.second}`:`:${x.second}.${x.fractionalSecond}`;return`${w(D,t)}, ${x.hour}:${x.minute}${F} ${x.timeZoneName}`}function Je(o,r,u){if(r==="money"&&o instanceof Map){let[g,f]=[q(o.get("amount")??o.get("value")),Q(o.get("currency"))];return o.size===2&&g&&f?M(g,f):void 0}let l=q(o);return r==="money"?u&&l?M(l,u):void 0:typeof o!="string"?void 0:r==="date"?we(o):r==="date-time"?Ze(o):r!=="account"?void 0:/^[A-Z]{2}\d\d[A-Z0-9]{11,30}$/.test(o)?o.replace(/.{4}(?=.)/g,"$& "):o}function Qe(o){if(typeof o=="string"){let r=[n.none,n.yes,n.no,"{}","[]"].includes(o),u=/^-?(0|[1-9]\d*)(\.\d+)?([eE][-+]?\d+)?$/.test(o);return r||u||$e(o)?JSON.stringify(o):o}return o instanceof E?o.text:o===null?n.none:typeof o=="boolean"?o?n.yes:n.no:Array.isArray(o)?"[]":"{}"}function ye(o,r,u){let l=Je(o,r.get("format"),u);if(l!==void 0){let f=q(o),y=r.get("format")==="money";return{text:l,isFormatted:!0,value:o,...y&&{money:P(o)??(f&&u?{amount:f,currency:u,spell:M}:void 0)}}}if(o instanceof Map&&o.size)return{parts:be(o,r),value:o};if(!Array.isArray(o)||!o.length)return{text:Qe(o),value:o};let p=z(r.get("items")),g={title:v(p),description:k(p)};return{isList:!0,value:o,parts:o.map(f=>({...g,...ye(f,p,u)}))}}function be(o,r,u=!1){let l=new Map([...o.keys()].map(m=>[m,z(z(r.get("members")).get(m))])),p=[...l.values()].map(v),g=Q(o.get("currency")),y=[...o].some(([m,A])=>m!=="currency"&&l.get(m)?.get("format")==="money"&&q(A))?g:void 0,T=J(r.get("order")).filter(m=>o.has(m));return[...new Set([...T,...o.keys()])].filter(m=>!(y&&m==="currency")&&!(u&&m==="type"&&typeof o.get(m)=="string")).map(m=>({name:m,title:v(z(l.get(m)))??S(m,p),description:k(z(l.get(m))),...ye(o.get(m),z(l.get(m)),y)}))}return(o,r)=>{let u=J(r).map(z),l=u.map(v);return J(o).map(z).map((p,g)=>{let[f,y]=[p.get("type"),u[g]??new Map],T=be(p,y,!0),{found:m,isMoney:A}=He(p,T);return{isMoney:A,isGroupable:y.get("groupable")===!0,headline:Ge(y.get("headline"),T)??m,title:v(y)??(typeof f=="string"?S(f,l):void 0),description:k(y),parts:T}})}}function wn(e){if(e.length===1)return e[0];let n=Math.max(...e.map(c=>(c.split(".")[1]??"").length)),t=e.map(c=>{let[d,a=""]=c.split(".");return BigInt(d+a.padEnd(n,"0"))}).reduce((c,d)=>c+d,0n),i=String(t).replace("-","").padStart(n+1,"0"),s=n?`.${i.slice(-n)}`:"";return`${t<0n?"-":""}${i.slice(0,i.length-n)}${s}`}function qe(e){let n=e.flatMap(({headline:a})=>a??[]),t=e.some(a=>a.isMoney),s=e.every(a=>!a.isMoney||a.headline?.money)?n.flatMap(({money:a})=>a??[]):[],c=[...new Set(s.map(({currency:a})=>a))].map(a=>{let h=s.filter(w=>w.currency===a);return h[0].spell(wn(h.map(({amount:w})=>w)),a)}),d=e.length===1&&!t&&n[0]&&[...n[0].first].length<=gn?n[0].first:void 0;return{lines:n,sums:c,action:c.length?c.join(" + "):d,isMoney:t,isGroupable:e.every(a=>!a.isMoney||a.isGroupable)}}var Pe=`
account
  Account:
  Compte :
  Konto:
addPhone
  Add this phone
  Ajouter ce téléphone
  Dieses Telefon hinzufügen
allAnswered
  All answered
  Toutes les demandes sont traitées
  Alle beantwortet
allow
  Allow
  Autoriser
  Erlauben
allowAll
  Allow all {count}
  Autoriser les {count}
  Alle {count} erlauben
allowAllTitle
  Allow {count} requests?
  Autoriser {count} demandes ?
  {count} Anfragen erlauben?
accessTo
  Access to {audience}
  Accès à {audience}
  Zugriff auf {audience}
allSigned
  Each answer is signed separately.
  Chaque réponse est signée à part.
  Jede Antwort wird einzeln unterschrieben.
allowAllWhat
  Allow all {count}: {action}
  Autoriser les {count} : {action}
  Alle {count} erlauben: {action}
allowWhat
  Allow {action}
  Autoriser {action}
  {action} erlauben
answeredOnPage
  Answered in a browser
  Réponse donnée dans un navigateur
  In einem Browser beantwortet
answeredWith
  Answered with {phone}
  Réponse donnée avec {phone}
  Mit {phone} beantwortet
browser
  a browser
  un navigateur
  ein Browser
clientSays
  {client} says:
  {client} écrit :
  {client} schreibt:
nextPart
  Next part
  Partie suivante
  Nächster Teil
notTogether
  Requests about money are answered one by one.
  Les demandes d’argent se traitent une par une.
  Anfragen über Geld werden einzeln beantwortet.
noticeAsks
  {client}: {what}
  {client} : {what}
  {client}: {what}
outlier
  Far more than the others
  Bien plus que les autres
  Weit mehr als die anderen
outcomeReason
  Rejected with a reason
  Refusée avec un motif
  Mit Grund abgelehnt
outcomeReported
  Rejected and reported
  Refusée et signalée
  Abgelehnt und gemeldet
outcomeWhat
  {outcome}: {what}
  {outcome} : {what}
  {outcome}: {what}
outcomeWithdrawn
  Withdrawn
  Retirée
  Zurückgezogen
partsLeft_one
  {count} part left to read
  Encore {count} partie à lire
  Noch {count} Teil zu lesen
partsLeft_other
  {count} parts left to read
  Encore {count} parties à lire
  Noch {count} Teile zu lesen
pickThisWhat
  Allow {action} with the number {number}
  Autoriser {action} avec le nombre {number}
  {action} mit der Zahl {number} erlauben
preview
  Show what is asked
  Montrer ce qui est demandé
  Zeigen, worum es geht
previewHint
  Amounts and names are then on the locked screen, for anybody to read.
  Montants et noms s’affichent alors sur l’écran verrouillé, à la vue de tous.
  Beträge und Namen stehen dann auf dem gesperrten Bildschirm, für alle lesbar.
receiptAsked
  Asked by
  Demandé par
  Gefragt von
receiptBy
  Answered with
  Réponse donnée avec
  Beantwortet mit
receiptChallenge
  Genuine. {tenant} signed this receipt, and {phone} signed the answer.
  Authentique. {tenant} a signé ce reçu, et {phone} a signé la réponse.
  Echt. {tenant} hat diesen Beleg unterschrieben, und {phone} die Antwort.
receiptCopy
  Copy
  Copier
  Kopieren
receiptDecision
  Answer
  Réponse
  Antwort
receiptExperts
  For experts
  Pour les experts
  Für Fachleute
receiptPhone
  Genuine. {tenant} signed this receipt, and {phone} signed this answer to exactly this request.
  Authentique. {tenant} a signé ce reçu, et {phone} a signé cette réponse à cette demande précise.
  Echt. {tenant} hat diesen Beleg unterschrieben, und {phone} diese Antwort auf genau diese Anfrage.
receiptRaw
  Signed receipt (JWS)
  Reçu signé (JWS)
  Unterschriebener Beleg (JWS)
receiptSession
  Genuine. {tenant} signed this receipt. The answer was given in a browser, so no phone signed it.
  Authentique. {tenant} a signé ce reçu. La réponse vient d’un navigateur : aucun téléphone ne l’a signée.
  Echt. {tenant} hat diesen Beleg unterschrieben. Die Antwort kam aus einem Browser, kein Telefon hat sie unterschrieben.
receiptSigned
  Signed by
  Signé par
  Signiert von
receiptUnchecked
  Not checked: the keys of {tenant} could not be fetched.
  Non vérifié : les clés de {tenant} n’ont pas pu être obtenues.
  Nicht geprüft: Die Schlüssel von {tenant} waren nicht zu erreichen.
receiptWhat
  What
  Objet
  Worum es ging
receiptWhen
  When
  Quand
  Wann
receiptWrong
  Not genuine: the signatures do not match. Do not rely on it, and tell {tenant}.
  Pas authentique : les signatures ne correspondent pas. Ne vous y fiez pas, et prévenez {tenant}.
  Nicht echt: Die Unterschriften passen nicht. Verlassen Sie sich nicht darauf, und sagen Sie es {tenant}.
rejectAllLead
  Every request of {client} in this list is rejected.
  Chaque demande de {client} dans cette liste est refusée.
  Jede Anfrage von {client} in dieser Liste wird abgelehnt.
sum
  Sum
  Somme
  Summe
anotherAccount
  Add another account
  Ajouter un autre compte
  Weiteres Konto hinzufügen
asks
  {client} asks for your approval
  {client} demande votre accord
  {client} bittet um Ihre Zustimmung
cancel
  Cancel
  Annuler
  Abbrechen
cannotStart
  The approver cannot start
  L’application ne peut pas démarrer
  Die Freigabe kann nicht starten
cannotStartLead
  It needs a connection, and a browser window that may store data (not a private one).
  Il lui faut une connexion, et une fenêtre qui peut garder des données (pas une fenêtre privée).
  Sie braucht eine Verbindung und ein Fenster, das Daten speichern darf (kein privates).
checking
  The connection broke. Finding out if your answer arrived…
  La connexion a été coupée. Nous vérifions si votre réponse est arrivée…
  Die Verbindung ist abgebrochen. Es wird geprüft, ob Ihre Antwort ankam …
codeLeft_one
  Valid for {count} more second
  Valable encore {count} seconde
  Noch {count} Sekunde gültig
codeLeft_other
  Valid for {count} more seconds
  Valable encore {count} secondes
  Noch {count} Sekunden gültig
connecting
  Connecting…
  Connexion…
  Verbinden …
copied
  Copied
  Copié
  Kopiert
copyLink
  Copy the link
  Copier le lien
  Link kopieren
didNotWork
  This did not work
  Cela n’a pas marché
  Das hat nicht geklappt
enrolLost
  No answer came. Check the connection and try again. If the link was used up, ask for a new one.
  Aucune réponse. Vérifiez la connexion et réessayez. Si le lien a déjà servi, demandez-en un nouveau.
  Es kam keine Antwort. Prüfen Sie die Verbindung und versuchen Sie es erneut. Ist der Link verbraucht, bitten Sie um einen neuen.
enrolOver
  This link was used already or has expired. Ask for a new one.
  Ce lien a déjà servi ou a expiré. Demandez-en un nouveau.
  Dieser Link wurde schon verwendet oder ist abgelaufen. Bitten Sie um einen neuen.
enrolRefused
  The phone could not be added. Ask for a new link.
  Le téléphone n’a pas pu être ajouté. Demandez un nouveau lien.
  Das Telefon konnte nicht hinzugefügt werden. Bitten Sie um einen neuen Link.
factAddress
  address
  adresse
  Adresse
factClient
  client
  application
  Client
factFor
  for
  pour
  für
factRequest
  request
  demande
  Anfrage
factServer
  server
  serveur
  Server
foreignClient
  An application of somebody else, not of {tenant}
  Une application d’un tiers, pas de {tenant}
  Eine fremde Anwendung, nicht von {tenant}
from
  From
  De
  Von
gone
  This phone was removed from the account {account}.
  Ce téléphone a été retiré du compte {account}.
  Dieses Telefon wurde vom Konto {account} getrennt.
group
  {count} requests. Read and answer each, or all at once.
  {count} demandes. Lisez-les et répondez à chacune, ou à toutes.
  {count} Anfragen. Lesen und beantworten Sie jede einzeln oder alle zugleich.
haveLink
  Do you have a link?
  Avez-vous un lien ?
  Haben Sie einen Link?
haveLinkLead
  Scan the QR code with the phone’s camera, or enter the link or code that you were given.
  Scannez le code QR avec l’appareil photo du téléphone, ou saisissez le lien ou le code que vous avez reçu.
  Scannen Sie den QR-Code mit der Kamera des Telefons oder geben Sie den Link oder Code ein, den Sie erhalten haben.
history
  History
  Historique
  Verlauf
install
  Install the app
  Installer l’application
  App installieren
installApple
  For notifications, install first
  Pour les notifications, installez d’abord
  Für Mitteilungen zuerst installieren
installApple3
  Paste your link there.
  Collez-y votre lien.
  Fügen Sie dort Ihren Link ein.
linkElsewhere
  This link belongs to {host}. Open it in the browser.
  Ce lien appartient à {host}. Ouvrez-le dans le navigateur.
  Dieser Link gehört zu {host}. Öffnen Sie ihn im Browser.
linkUnknown
  This is not an enrolment link or code. Enter all of it.
  Ce n’est ni un lien ni un code d’ajout. Saisissez-le en entier.
  Damit lässt sich kein Telefon hinzufügen. Geben Sie alles ein.
listening
  Requests appear here by themselves.
  Les demandes s’affichent ici d’elles-mêmes.
  Anfragen erscheinen hier von selbst.
loading
  Loading…
  Chargement…
  Laden …
loginAddress
  Address
  Adresse
  Adresse
loginBrowser
  Browser, as it says
  Navigateur, selon ses dires
  Browser, nach eigener Angabe
loginHeadline
  Log in to {application}?
  Se connecter à {application} ?
  Bei {application} anmelden?
loginPlace
  Place
  Lieu
  Ort
loginSoftware
  {browser} on {system}
  {browser} sur {system}
  {browser} auf {system}
loginTime
  Time
  Heure
  Zeit
loginUnknownBrowser
  unknown browser
  navigateur inconnu
  unbekannter Browser
more
  More about this request
  En savoir plus sur cette demande
  Mehr zu dieser Anfrage
moreWait_one
  {count} more waits
  {count} autre attend
  {count} weitere wartet
moreWait_other
  {count} more wait
  {count} autres attendent
  {count} weitere warten
nameOfPhone
  Name of this phone
  Nom de ce téléphone
  Name dieses Telefons
nextRequest
  Next request
  Demande suivante
  Nächste Anfrage
no
  no
  non
  nein
noDecisions
  You have decided nothing yet.
  Vous n’avez encore rien décidé.
  Sie haben noch nichts entschieden.
none
  none
  aucun
  keine Angabe
noReceipt
  There is no receipt of this decision, or it is kept no longer.
  Il n’y a pas de reçu de cette décision, ou il n’est plus conservé.
  Zu dieser Entscheidung gibt es keinen Beleg, oder er wird nicht mehr aufbewahrt.
nothingWaits
  Nothing waits for you
  Aucune demande en attente
  Keine offenen Anfragen
notLoaded
  A request could not be loaded
  Une demande n’a pas pu être chargée
  Eine Anfrage konnte nicht geladen werden
notLoadedLead
  Trying again…
  Nouvel essai…
  Neuer Versuch …
noticeOver
  A request needs no answer any more.
  Une demande n’a plus besoin de réponse.
  Eine Anfrage braucht keine Antwort mehr.
noticeSomeRequest
  A request waits for your answer.
  Une demande attend votre réponse.
  Eine Anfrage wartet auf Ihre Antwort.
notifications
  Notifications
  Notifications
  Mitteilungen
notOffered
  This server does not show past decisions.
  Ce serveur ne montre pas les décisions passées.
  Dieser Server zeigt keine früheren Entscheidungen.
offline
  Offline
  Hors ligne
  Offline
offlineLead
  You are offline. Requests appear when the connection is back.
  Vous êtes hors ligne. Les demandes s’afficheront au retour de la connexion.
  Sie sind offline. Anfragen erscheinen, sobald die Verbindung zurück ist.
ok
  OK
  OK
  OK
oneTimeCode
  One-time code
  Code à usage unique
  Einmalcode
oneTimeCodeLead
  For a login page that asks for six digits. It works without a connection. Give it to nobody.
  Pour une page de connexion qui demande six chiffres. Il fonctionne sans connexion. Ne le donnez à personne.
  Für eine Anmeldeseite, die nach sechs Ziffern fragt. Er gilt auch ohne Verbindung. Geben Sie ihn niemandem.
outcomeAllowed
  Allowed
  Autorisée
  Erlaubt
outcomeAnswered
  Already answered
  Réponse déjà donnée
  Schon beantwortet
outcomeAnsweredLead
  The history shows which answer arrived.
  L’historique montre quelle réponse est arrivée.
  Der Verlauf zeigt, welche Antwort ankam.
outcomeElsewhere
  No answer needed any more
  Plus besoin de réponse
  Keine Antwort mehr nötig
outcomeElsewhereLead
  It was answered on another screen, or withdrawn.
  La demande a reçu une réponse ailleurs, ou a été retirée.
  Die Anfrage wurde anderswo beantwortet oder zurückgezogen.
outcomeExpired
  Expired
  Expirée
  Abgelaufen
outcomeExpiredLead
  Nothing was allowed.
  Rien n’a été autorisé.
  Es wurde nichts erlaubt.
outcomeRejected
  Rejected
  Refusée
  Abgelehnt
outcomeReportedLead
  The operator was told. This client has to wait before it can ask again.
  L’exploitant est prévenu. Cette application doit attendre avant de vous solliciter à nouveau.
  Der Betreiber weiß davon. Dieser Client muss warten, bis er wieder fragen kann.
outcomeWrongNumber
  Rejected: another number was shown
  Refusée : un autre nombre était affiché
  Abgelehnt: Angezeigt wurde eine andere Zahl
outcomeWrongNumberLead
  Somebody else may have asked in your name. If it was you, start again.
  Quelqu’un d’autre a peut-être demandé en votre nom. Si c’était vous, recommencez.
  Vielleicht hat jemand anderes in Ihrem Namen gefragt. Wenn Sie es waren, beginnen Sie von vorn.
ownClient
  An application of {tenant}
  Une application de {tenant}
  Eine Anwendung von {tenant}
passkey
  Passkey
  Clé d’accès
  Passkey
passkeyAccount
  Passkeys on your account page
  Les clés d’accès sur la page de votre compte
  Passkeys auf Ihrer Kontoseite
passkeyAdd
  Add a passkey
  Ajouter une clé d’accès
  Passkey hinzufügen
passkeyConfirm
  Confirm that it is you
  Confirmez que c’est vous
  Bestätigen Sie, dass Sie es sind
passkeyConfirmLead
  Use your passkey: fingerprint, face or the phone’s PIN.
  Utilisez votre clé d’accès : empreinte, visage ou code du téléphone.
  Nutzen Sie Ihren Passkey: Fingerabdruck, Gesicht oder PIN des Telefons.
passkeyElsewhereLead
  Add one on your account page, where you prove who you are, then come back.
  Ajoutez-en une sur la page de votre compte, où vous prouvez qui vous êtes, puis revenez.
  Fügen Sie einen auf Ihrer Kontoseite hinzu, wo Sie sich ausweisen, und kommen Sie dann zurück.
passkeyLost
  I don’t have this passkey any more
  Je n’ai plus cette clé d’accès
  Diesen Passkey habe ich nicht mehr
passkeyMake
  Make one now
  En créer une maintenant
  Jetzt erstellen
passkeyNeeded
  This needs a passkey
  Il faut une clé d’accès
  Dafür brauchen Sie einen Passkey
passkeyNeededLead
  With it, your fingerprint, your face or the phone’s PIN confirms that it is you.
  Avec elle, votre empreinte, votre visage ou le code du téléphone confirme que c’est vous.
  Damit bestätigen Fingerabdruck, Gesicht oder PIN des Telefons, dass Sie es sind.
passkeyNo
  none
  aucune
  keiner
passkeyUnsupported
  This browser has no passkeys
  Ce navigateur n’a pas de clés d’accès
  Dieser Browser hat keine Passkeys
passkeyUnsupportedLead
  This needs one. Answer on another phone of yours, or reject.
  Il en faut une. Répondez avec un autre de vos téléphones, ou refusez.
  Dafür ist einer nötig. Antworten Sie mit einem anderen Ihrer Telefone, oder lehnen Sie ab.
passkeyUse
  Confirm
  Confirmer
  Bestätigen
passkeyYes
  registered
  enregistrée
  registriert
pasteLink
  Link or code
  Lien ou code
  Link oder Code
payment
  {amount} to {payee}
  {amount} à {payee}
  {amount} an {payee}
phoneName
  {browser} on {system}
  {browser} sur {system}
  {browser} auf {system}
pickNumber
  Which number does the other screen show?
  Quel nombre affiche l’autre écran ?
  Welche Zahl zeigt der andere Bildschirm?
pickNumberOf
  Which number does {screen} show?
  Quel nombre {screen} affiche-t-il ?
  Welche Zahl zeigt {screen}?
pickThis
  Allow with the number {number}
  Autoriser avec le nombre {number}
  Mit der Zahl {number} erlauben
problemBlocked
  This account is blocked. Contact the operator of this service.
  Ce compte est bloqué. Adressez-vous à l’exploitant de ce service.
  Dieses Konto ist gesperrt. Wenden Sie sich an den Betreiber dieses Dienstes.
problemLost
  Your answer did not arrive. Please answer again.
  Votre réponse n’est pas arrivée. Répondez encore une fois.
  Ihre Antwort ist nicht angekommen. Bitte antworten Sie noch einmal.
problemPasskey
  Not confirmed, so nothing was allowed.
  Pas de confirmation : rien n’a été autorisé.
  Nicht bestätigt, also wurde nichts erlaubt.
problemRefused
  The server did not take the answer. Try again, or reject.
  Le serveur n’a pas accepté la réponse. Réessayez, ou refusez.
  Der Server hat die Antwort nicht angenommen. Versuchen Sie es erneut, oder lehnen Sie ab.
push_denied
  This browser blocks notifications of this site. Its settings can allow them.
  Ce navigateur bloque les notifications de ce site. Autorisez-les dans ses réglages.
  Dieser Browser sperrt Mitteilungen dieser Seite. Seine Einstellungen können sie erlauben.
push_install
  They need the installed app.
  Elles nécessitent l’application installée.
  Mitteilungen erfordern die installierte App.
push_none
  This browser takes no notifications. Requests appear only while this page is open.
  Ce navigateur ne reçoit pas de notifications. Les demandes n’apparaissent que lorsque cette page est ouverte.
  Dieser Browser empfängt keine Mitteilungen. Anfragen erscheinen nur, solange diese Seite offen ist.
push_off
  Requests then reach you when this page is closed.
  Les demandes vous parviennent alors même si cette page est fermée.
  Dann erreichen Anfragen Sie auch, wenn diese Seite geschlossen ist.
push_server
  This service sends no notifications. Requests appear only while this page is open.
  Ce service n’envoie pas de notifications. Les demandes n’apparaissent que lorsque cette page est ouverte.
  Dieser Dienst schickt keine Mitteilungen. Anfragen erscheinen nur, solange diese Seite offen ist.
quietHours
  Quiet hours
  Heures calmes
  Ruhezeit
quietHoursLead
  Only urgent requests make a sound. For all your phones.
  Seules les demandes urgentes sonnent. Pour tous vos téléphones.
  Nur dringende Anfragen sind zu hören. Für alle Ihre Telefone.
ready
  This phone is ready. You can go back to the page you came from.
  Ce téléphone est prêt. Vous pouvez revenir à la page précédente.
  Dieses Telefon ist bereit. Sie können zur vorigen Seite zurückkehren.
reason
  Reason
  Motif
  Grund
reasonGiven
  Reason: {reason}
  Motif : {reason}
  Grund: {reason}
reasonHint
  The application that asked reads it.
  L’application à l’origine de la demande le lira.
  Die Anwendung, die gefragt hat, liest ihn.
receipt
  Receipt
  Reçu
  Beleg
receiptSave
  Save receipt
  Enregistrer le reçu
  Beleg speichern
receiptShow
  Show receipt
  Afficher le reçu
  Beleg zeigen
refusedLead
  The server refused it.
  Le serveur l’a refusé.
  Der Server hat es abgelehnt.
reject
  Reject
  Refuser
  Ablehnen
rejectAll
  Reject all {count}
  Refuser les {count}
  Alle {count} ablehnen
rejectAllTitle
  Reject {count} requests?
  Refuser {count} demandes ?
  {count} Anfragen ablehnen?
removeAccount
  Remove from this phone
  Retirer de ce téléphone
  Von diesem Telefon entfernen
removeLead
  This phone will no longer answer for {account}. To add it again you need a new link.
  Ce téléphone ne répondra plus pour {account}. Pour l’ajouter de nouveau, il faudra un nouveau lien.
  Dieses Telefon antwortet dann nicht mehr für {account}. Um es wieder hinzuzufügen, brauchen Sie einen neuen Link.
removeNow
  Remove
  Retirer
  Entfernen
rename
  Rename
  Renommer
  Umbenennen
renameThis
  Rename {name}
  Renommer {name}
  {name} umbenennen
report
  I did not ask for this
  Je n’ai rien demandé
  Das war ich nicht
reportHint
  Rejects the request, tells the operator, and makes this client wait before it can ask again.
  Refuse la demande, prévient l’exploitant, et fait attendre cette application avant de vous solliciter à nouveau.
  Lehnt ab, benachrichtigt den Betreiber, und dieser Client muss warten, bis er wieder fragen kann.
reportNow
  Reject and report
  Refuser et signaler
  Ablehnen und melden
requests
  Requests
  Demandes
  Anfragen
save
  Save
  Enregistrer
  Speichern
saved
  Saved
  Enregistré
  Gespeichert
scope_address
  See your postal address
  Voir votre adresse postale
  Ihre Postanschrift sehen
scope_email
  See your e-mail address
  Voir votre adresse e-mail
  Ihre E-Mail-Adresse sehen
scope_offline_access
  Go on while you are not there
  Continuer sans vous
  Auch ohne Sie weitermachen
scope_openid
  Know that it is you
  Savoir que c’est vous
  Wissen, dass Sie es sind
scope_phone
  See your phone number
  Voir votre numéro de téléphone
  Ihre Telefonnummer sehen
scope_profile
  See your name and profile
  Voir votre nom et votre profil
  Ihren Namen und Ihr Profil sehen
scopes
  It will be able to
  Cette application pourra
  Diese Anwendung darf dann
sending
  Sending your answer…
  Envoi de votre réponse…
  Ihre Antwort wird gesendet …
settings
  Settings
  Réglages
  Einstellungen
showMore
  Show more
  Afficher plus
  Mehr zeigen
since
  since {date}
  depuis {date}
  seit {date}
skip
  Skip to content
  Aller au contenu
  Zum Inhalt springen
thisPhone
  This phone
  Ce téléphone
  Dieses Telefon
timeLeft
  {time} left
  encore {time}
  noch {time}
to
  To
  À
  Bis
tryAgain
  Try again
  Réessayer
  Erneut versuchen
turnOff
  Turn off
  Désactiver
  Ausschalten
turnOn
  Turn on notifications
  Activer les notifications
  Mitteilungen einschalten
typeNumber
  Type the number that the other screen shows
  Saisissez le nombre qu’affiche l’autre écran
  Geben Sie die Zahl ein, die der andere Bildschirm zeigt
typeNumberOf
  Type the number that {screen} shows
  Saisissez le nombre qu’affiche {screen}
  Geben Sie die Zahl ein, die {screen} zeigt
typeTwoDigits
  Type the two digits that the other screen shows.
  Saisissez les deux chiffres qu’affiche l’autre écran.
  Geben Sie die zwei Ziffern ein, die der andere Bildschirm zeigt.
untyped
  detail without type
  détail sans type
  Angabe ohne Typ
urgent
  urgent
  urgente
  dringend
useLink
  Continue
  Continuer
  Weiter
wayAccount
  account page
  page de votre compte
  Kontoseite
wayAnother
  Add another phone
  Ajouter un autre téléphone
  Weiteres Telefon hinzufügen
wayAnotherLead
  Scan this code with the other phone’s camera. It adds one phone, once, and you get a mail about it.
  Scannez ce code avec l’appareil photo de l’autre téléphone. Il ajoute un téléphone, une fois, et vous recevez un message à ce sujet.
  Scannen Sie diesen Code mit der Kamera des anderen Telefons. Er fügt ein Telefon hinzu, einmal, und Sie bekommen eine Mail darüber.
wayBack
  Ways back
  Pour revenir
  Wege zurück
wayBackAccount
  Log in to your {page} and add this phone there. If you have no second factor left, use a recovery code.
  Connectez-vous à la {page} et ajoutez-y ce téléphone. S’il ne vous reste aucun second facteur, utilisez un code de secours.
  Melden Sie sich auf Ihrer {page} an und fügen Sie dieses Telefon dort hinzu. Ohne zweiten Faktor hilft ein Wiederherstellungscode.
wayBackAsk
  Or ask for a new link, and enter it or its code here.
  Ou demandez un nouveau lien, et saisissez-le ici, ou son code.
  Oder bitten Sie um einen neuen Link und geben Sie ihn oder seinen Code hier ein.
wayBackPhone
  On another phone of yours: Settings, “Add another phone”. Scan the code, or enter it here.
  Sur un autre de vos téléphones : Réglages, « Ajouter un autre téléphone ». Scannez le code, ou saisissez-le ici.
  Auf einem anderen Ihrer Telefone: Einstellungen, „Weiteres Telefon hinzufügen“. Scannen Sie den Code, oder geben Sie ihn hier ein.
wayCode
  Code
  Code
  Code
wayCodeOver
  This code is wrong, was used or has expired. Check it, or get a new one.
  Ce code est faux, a déjà servi ou a expiré. Vérifiez-le, ou demandez-en un nouveau.
  Dieser Code ist falsch, schon verwendet oder abgelaufen. Prüfen Sie ihn, oder holen Sie einen neuen.
wayForget
  Forget the account on this phone
  Oublier le compte sur ce téléphone
  Konto auf diesem Telefon vergessen
wayHome
  Tap “Add to Home Screen”.
  Touchez « Sur l’écran d’accueil ».
  Tippen Sie auf „Zum Home-Bildschirm“.
wayInstall
  Install this app first
  Installez d’abord cette application
  Zuerst diese App installieren
wayInstallLead
  An iPhone gives notifications to installed apps alone. Your link for {tenant} stays unused until then.
  Un iPhone n’envoie de notifications qu’aux applications installées. D’ici là, votre lien pour {tenant} ne sera pas utilisé.
  Ein iPhone gibt Mitteilungen nur an installierte Apps. Ihr Link für {tenant} bleibt bis dahin unbenutzt.
wayKeyGone
  key lost
  clé perdue
  Schlüssel verloren
wayLost
  This phone has lost its key
  Ce téléphone a perdu sa clé
  Dieses Telefon hat seinen Schlüssel verloren
wayLostLead
  The browser has deleted what this phone signed with, so it cannot approve anything for {tenant}. Nothing was approved without you. Add this phone again.
  Le navigateur a supprimé ce avec quoi ce téléphone signait : il ne peut plus rien autoriser pour {tenant}. Rien n’a été autorisé sans vous. Ajoutez de nouveau ce téléphone.
  Der Browser hat gelöscht, womit dieses Telefon unterschrieb. Es kann für {tenant} nichts mehr freigeben. Ohne Sie wurde nichts freigegeben. Fügen Sie dieses Telefon neu hinzu.
wayNeedsBrowser
  This browser cannot keep a key. Use a current version of Chrome, Edge, Firefox or Safari, and not a private window.
  Ce navigateur ne peut pas conserver de clé. Utilisez une version récente de Chrome, Edge, Firefox ou Safari, et pas une fenêtre privée.
  Dieser Browser kann keinen Schlüssel aufbewahren. Nehmen Sie eine aktuelle Version von Chrome, Edge, Firefox oder Safari, und kein privates Fenster.
wayNeedsSecure
  The address must start with https. Open the link that you were given, without changing it.
  L’adresse doit commencer par https. Ouvrez le lien que vous avez reçu, sans le modifier.
  Die Adresse muss mit https beginnen. Öffnen Sie den Link so, wie Sie ihn erhalten haben.
wayOpen
  Open the new icon.
  Ouvrez la nouvelle icône.
  Öffnen Sie das neue Symbol.
wayPicture
  QR code that adds another phone
  Code QR qui ajoute un autre téléphone
  QR-Code, der ein weiteres Telefon hinzufügt
waySafari
  Use this browser anyway
  Utiliser ce navigateur quand même
  Trotzdem diesen Browser verwenden
waySafariLead
  Notifications will not work here. You will see requests only while this page is open.
  Les notifications ne marcheront pas ici. Vous ne verrez les demandes que lorsque cette page est ouverte.
  Mitteilungen gibt es hier nicht. Sie sehen Anfragen nur, solange diese Seite offen ist.
waySafariYes
  Go on without notifications
  Continuer sans notifications
  Ohne Mitteilungen weiter
wayScan
  Scan a QR code
  Scanner un code QR
  QR-Code scannen
wayScanLead
  Hold the code in front of the camera.
  Placez le code devant l’appareil photo.
  Halten Sie den Code vor die Kamera.
wayShare
  Tap Share.
  Touchez Partager.
  Tippen Sie auf Teilen.
wayTooMany
  There were too many wrong codes. Use the link, or wait an hour.
  Il y a eu trop de codes faux. Utilisez le lien, ou attendez une heure.
  Es gab zu viele falsche Codes. Nehmen Sie den Link, oder warten Sie eine Stunde.
wayTypeCode
  If the app asks for a code, enter this one:
  Si l’application demande un code, saisissez celui-ci :
  Wenn die App nach einem Code fragt, geben Sie diesen ein:
wayValid
  Valid once, until {time}
  Valable une fois, jusqu’au {time}
  Einmal gültig, bis {time}
welcome
  Approve with this phone
  Autoriser avec ce téléphone
  Mit diesem Telefon freigeben
welcomeLead
  {tenant} will ask you here before something is done in your name. This phone signs your answers.
  {tenant} vous demandera votre accord ici avant d’agir en votre nom. Ce téléphone signe vos réponses.
  {tenant} fragt Sie hier, bevor etwas in Ihrem Namen geschieht. Dieses Telefon unterschreibt Ihre Antworten.
withReason
  Reject with a reason
  Refuser avec un motif
  Mit Grund ablehnen
yes
  yes
  oui
  ja
yourPhones
  Your phones
  Vos téléphones
  Ihre Telefone
`;var le=["en","fr","de"],bn=e=>le.includes(e.slice(0,2).toLowerCase()),de=navigator.languages.find(bn)??"en",X=de.slice(0,2).toLowerCase(),ue=Pe.trim().split(`
`).map(e=>e.trim()),kn=le.length+1,vn=le.indexOf(X)+1,pe=new Map;for(let e=0;e<ue.length;e+=kn)pe.set(ue[e],ue[e+vn]);var st=new Intl.PluralRules(X);function De(e,n,t){let i=pe.get(e);if(i===void 0)throw new Error(`no text ${e}`);return i.split(/\{(\w+)\}/).map((s,c)=>{let d=n[s];return c%2===0?s:typeof d=="number"?d.toLocaleString(de):t(d)})}var N=(e,n={})=>De(e,n,t=>`⁨${Y(t)}⁩`).join(""),Ie=(e,n={})=>De(e,n,t=>t).join("");var he=Ee(de,{none:N("none"),yes:N("yes"),no:N("no"),payment:pe.get("payment")??""});var Oe=e=>he(e.get("authorization_details"),e.get("presentation")),je=e=>e.get("client_name")??e.get("client_id")??"",Sn=e=>Le(e,X,Ie,he);var An=e=>e.title??N("untyped");var xn=(...e)=>qe(e.flatMap(Oe));function Tn(e){let n=Sn(e)?.headline;if(n)return[[{text:n}]];let{lines:t}=xn(e);return t.length?t.map(({parts:i})=>i):Oe(e).map(i=>[{text:An(i)}])}var zn=e=>e.get("audience_name")??e.get("audience"),Ln=/[\u2066-\u2069]/g,Mn=e=>e.map(({text:n})=>Y(n)).join("");function Be(e){let[n,t]=[Tn(e),zn(e)];return n.length?n.map(Mn).join(", "):t?N("accessTo",{audience:t}).replace(Ln,""):""}var We;function Cn(){return We??=new Promise((e,n)=>{let t=indexedDB.open("approver",1);t.onupgradeneeded=()=>{t.result.createObjectStore("accounts",{keyPath:"id"}),t.result.createObjectStore("values")},t.onsuccess=()=>e(t.result),t.onerror=()=>n(t.error)}),We}async function ee(e,n,t){let i=(await Cn()).transaction(e,n,{durability:"strict"});return new Promise((s,c)=>{let d=t(i.objectStore(e));i.oncomplete=()=>s(d.result),i.onabort=()=>c(i.error)})}async function ne(){return(await ee("accounts","readonly",n=>n.getAll())).sort((n,t)=>n.addedAt-t.addedAt)}var _e=e=>ee("accounts","readonly",n=>n.get(e));function Ue(e,n){return Object.assign(e,n),ee("accounts","readwrite",t=>{let i=t.get(e.id);return i.onsuccess=()=>i.result&&t.put({...i.result,...n}),i})}var U=e=>ee("values","readonly",n=>n.get(e));var Nn="preview",Rn=3e3,$n=async()=>await U(Nn)===!0;async function Ve(e,n){if(!await $n())return;let t=async()=>{let s=ze(await e.record(n)),c=s instanceof Map&&Be(s);return c?N("noticeAsks",{client:je(s),what:c}):void 0},i=new Promise(s=>{setTimeout(s,Rn)});return Promise.race([t(),i]).catch(()=>{})}var te="approver-%VERSION%",R="/approver",V="/approver/%VERSION%/",En="%FILES%".split(" ").map(e=>V+e),qn={install:Pn,activate:Dn,push:jn,notificationclick:Un,pushsubscriptionchange:Vn};for(let[e,n]of Object.entries(qn))self.addEventListener(e,t=>t.waitUntil(n(t)));self.addEventListener("fetch",e=>{let{method:n,url:t}=e.request,{origin:i,pathname:s}=new URL(t);n!=="GET"||i!==location.origin||(s.startsWith(V)?e.respondWith(In(e.request)):s===R&&On(e))});async function Pn(){await(await caches.open(te)).addAll([new Request(R,{cache:"reload"}),...En]),await self.skipWaiting()}async function Dn(){for(let e of await caches.keys())e.startsWith("approver-")&&e!==te&&await caches.delete(e);await self.clients.claim()}async function In(e){let n=await caches.match(e);if(n)return n;let t=await fetch(e);return t.ok&&await(await caches.open(te)).put(e,t.clone()),t}function On(e){let n=(async()=>{let t=await caches.open(te),i=await fetch(R,{cache:"no-cache"});return i.ok&&(await i.clone().text()).includes(V)&&await t.put(R,i.clone()),i})();e.respondWith(caches.match(R).then(t=>t??n)),e.waitUntil(n.catch(()=>{}))}async function jn({data:e}){let n={};try{n=e.json()??{}}catch{}if((await ne()).length===0)return Bn();let t=await U("brief")??{};if(n.kind==="withdrawal")return Fe(n.txlnkid,t);let i=n.dai&&await _e(n.dai),[s,c,d]=[t.name??location.host,t.someRequest??"",i?.quietHours];if(i&&t.base){let w=new W(t.base,i),[b,v]=await Promise.all([w.pending(),w.preferences()].map(S=>S.catch(()=>{}))),k=b?.find(({mfa:S})=>S.txlnkid===n.txlnkid);if(k)c=await Ve(w,k.mfa)??k.aps.alert.body;else if(b)return Fe(n.txlnkid,t);v&&(d=v.quiet_hours)}i&&(await ne()).length>1&&(s+=` · ${i.label}`);let a=await Wn(n,d),h=n.txlnkid;await fe(s,{body:c,silent:a,tag:h,renotify:!a&&Boolean(h),requireInteraction:!0,data:{request:h,account:i?.id}})}async function Bn(){await(await self.registration.pushManager.getSubscription())?.unsubscribe(),await Te([]);let{name:e,notice:n}=await _();await fe(e??location.host,{body:n??"",tag:"lost"})}function fe(e,n){return self.registration.showNotification(e,{icon:`${V}icon-192.png`,badge:`${V}badge-96.png`,dir:"auto",...n})}async function Ke(){return(await self.clients.matchAll({type:"window",includeUncontrolled:!0})).filter(n=>new URL(n.url).pathname===R)}async function Wn({urgent:e},n){let t=await Ke();for(let i of t)i.postMessage({});return t.some(i=>i.visibilityState==="visible"&&i.focused)||!e&&_n(n)}function _n(e,n=new Date){if(!e)return!1;let{from:t,to:i}=e,s=n.toTimeString().slice(0,5);return t<=i?s>=t&&s<i:s>=t||s<i}async function Fe(e,n){await fe(n.name??location.host,{body:n.over??"",tag:e,silent:!0});for(let t of await self.registration.getNotifications({tag:e}))t.close()}async function Un({notification:e}){e.close();let{request:n}=e.data??{},[t]=await Ke();return t?(t.postMessage({request:n}),t.focus()):self.clients.openWindow(n?`${R}#request=${n}`:R)}async function Vn({oldSubscription:e,newSubscription:n}){let{base:t}=await U("brief")??{},i=n??(e&&await self.registration.pushManager.subscribe(e.options));!i||!t||await Promise.allSettled((await ne()).map(async s=>{await new W(t,s).tell(i),await Ue(s,{pushEndpoint:i.endpoint})}))}})();
