(()=>{var sn={name:"ECDSA",hash:"SHA-256"};async function Te(e){let{kty:n,crv:t,x:i,y:s}=await crypto.subtle.exportKey("jwk",e);return{kty:n,crv:t,x:i,y:s}}async function H(e,n,t={typ:"JWT"}){let i=c=>j(re(JSON.stringify(c))),s=`${i({alg:"ES256",...t})}.${i(n)}`;return`${s}.${j(await crypto.subtle.sign(sn,e.privateKey,re(s)))}`}var re=e=>new TextEncoder().encode(e);function j(e){let n="";for(let t of new Uint8Array(e))n+=String.fromCharCode(t);return btoa(n).replaceAll("+","-").replaceAll("/","_").replaceAll("=","")}var ze=async e=>new Uint8Array(await crypto.subtle.digest("SHA-256",re(e)));var U=class extends Error{constructor(n,t){super(n),this.code=n,this.status=t}},Q=class extends Error{},rn="document"in globalThis?2e4:5e3,an=["signed-digest","number-matching","number-typing",..."PublicKeyCredential"in globalThis?["passkeys"]:[]],cn=({generator:e})=>[...an,...e?["one-time-code"]:[]];var P=0,un=()=>Date.now()+P,Z=()=>Math.floor(un()/1e3);function ln(e){let n=Date.parse(e.headers.get("Date")??"");if(!Number.isNaN(n)&&!e.headers.has("Age")){let t=n+500-Date.now();Math.abs(t-P)>1500&&(P=t)}}async function W(e,n={}){let t;try{t=await fetch(e,{cache:"no-store",credentials:"omit",redirect:"error",signal:AbortSignal.timeout(rn),...n})}catch(s){throw new Q(String(s))}if(ln(t),t.ok)return t;let i=await t.json().catch(()=>({}));throw t.status>=500&&!i.errorCode?new Q(`status ${t.status}`):new U(i.errorCode??i.error,t.status)}var dn=["invalid_challenge","invalid_proof"];async function J(e,n){let t=P;try{return await n()}catch(i){if(!(i instanceof U)||i.status!==401&&(P===t||!dn.includes(i.code)))throw i;return e.tokens.clear(),n()}}var B=(e,n,t={})=>({method:e,body:JSON.stringify(n),headers:{"Content-Type":"application/json",...t}}),_=class{constructor(n,t){this.base=n,this.account=t,this.tokens=new Map}async token(n){let t=this.tokens.get(n);if(t?.ahead===P&&t.until>Z())return t.text;let i=Z(),{id:s,userId:c,key:d}=this.account,a=await H(d,{iss:s,sub:c,aud:n,iat:i,exp:i+300});return this.tokens.set(n,{text:a,ahead:P,until:i+240}),a}own(n,t={}){let i=`${this.base}/api/device-accounts`;return J(this,async()=>{let s={...t.headers,Authorization:`Bearer ${await this.token(i)}`};return W(`${i}/${this.account.id}${n}`,{...t,headers:s})})}events(n,t){let i=`${this.base}/api/notifications`;return J(this,async()=>{let s={Authorization:`Bearer ${await this.token(i)}`,Accept:"text/event-stream"};return n&&(s["Last-Event-ID"]=n),W(`${i}?records=true`,{headers:s,signal:t})})}async record({txlnkid:n,txtkn:t}){let i=new URL(`/rich-consents/${encodeURIComponent(n)}`,this.base).href,s={typ:"dpop+jwt",jwk:await Te(this.account.key.publicKey)},c=j(await ze(t)),d=await J(this,async()=>{let w={htu:i,htm:"GET",ath:c,jti:crypto.randomUUID(),iat:Z()},b=await H(this.account.key,w,s);return W(i,{headers:{Authorization:`MFA-DPoP ${t}`,"MFA-DPoP":b}})}),{id:a,record:f}=await d.json();if(a!==n||typeof f!="string")throw new U("no_record");return f}resolve({txtkn:n,c:t},i,s){let c=`${this.base}/api/resolve-transaction`;return J(this,async()=>{let d=Z(),a={iss:this.account.identifier,sub:t,aud:c,iat:d,exp:d+30,auth0_guardian_method:"push",auth0_guardian_accepted:i.accepted,auth0_guardian_reason:i.reason,request_digest:j(i.digest),matching_pick:i.pick,reported:i.reported},f={challenge_response:await H(this.account.key,a),passkey:s};return W(c,B("POST",f,{Authorization:`Bearer ${n}`}))})}read=async n=>(await this.own(n)).json();pending=async()=>(await this.read("/pending?records=true")).requests;phones=()=>this.read("/devices");preferences=()=>this.read("/preferences");keepPreferences=n=>this.own("/preferences",B("PUT",n));passkey=()=>this.read("/passkey");keepPasskey=n=>this.own("/passkey",B("PUT",n));newPhone=async n=>(await this.own("/tickets",B("POST",{passkey:n}))).json();update=n=>this.own("",B("PATCH",n));remove=()=>this.own("",{method:"DELETE"});receipt=async n=>(await this.own(`/receipts/${encodeURIComponent(n)}`)).text();history(n){let t=new URLSearchParams({limit:"20",unanswered:"true",...n&&{before:n}});return this.read(`/requests?${t}`)}describe(n){let t=n&&JSON.stringify(n),i="document"in globalThis?void 0:this.account.capabilities?.split(" ");return this.update({capabilities:i??cn(this.account),...t&&{push_credentials:{service:"WEBPUSH",token:t}}})}},Le=(e,n,t)=>W(`${e}/api/device-accounts/${n}/farewell`,{method:"POST",headers:{Authorization:`Farewell id="${t}"`}});var Me="/approver/farewell.json",Ce=globalThis.localStorage;async function V(){let e={marks:[]};try{e={...e,...JSON.parse(Ce?.getItem("approver")??"{}")}}catch{}let n=await globalThis.caches?.match(Me).then(t=>t?.json()).catch(()=>{});return{...e,...n}}async function hn(e){let n=JSON.stringify({...await V(),...e});try{Ce?.setItem("approver",n)}catch{}await globalThis.caches?.open("marks").then(t=>t.put(Me,new Response(n))).catch(console.error)}async function Ne(e){let{base:n,marks:t}=await V(),i=t.filter(({id:s})=>!e.some(c=>c.id===s));for(let s of i){if(!s.farewell||!n)continue;await Le(n,s.id,s.farewell).then(()=>!0,d=>Boolean(d.code))&&await hn({marks:(await V()).marks.map(d=>d.id===s.id?{...d,farewell:void 0}:d)})}return i}var D=class{constructor(n){this.text=n}},ae=/[\t\n\r ]*(?:([{}[\]:,])|("(?:[^"\\]|\\.)*")|(-?\d+(?:\.\d+)?(?:[eE][-+]?\d+)?)|(true|false|null))/sy;function Re(e){let n=0,t=(a=`at ${n}`)=>{throw new SyntaxError(a)};function i(){ae.lastIndex=n;let a=ae.exec(e)??t();return n=ae.lastIndex,a}function s(a,f){let w=n;if(i()[1]!==a)for(n=w;;){f();let[,b]=i();if(b===a)return;b!==","&&t()}}function c(){let[,a,f,w,b]=i();if(w)return new D(w);if(f??b)return JSON.parse(f??b);if(a==="["){let k=[];return s("]",()=>k.push(c())),k}a!=="{"&&t();let v=new Map;return s("}",()=>{let[,,k]=i();(!k||i()[1]!==":")&&t();let x=JSON.parse(k);v.has(x)&&t(`twice: ${x}`),v.set(x,c())}),v}let d=c();return e.slice(n).trim()&&t(),d}var pn=[new Map([["members",new Map([["at",new Map([["format","date-time"]])]])]])];function $e(e,n,t,i){let s=e.get("login");if(!(s instanceof Map))return;let c=L=>typeof L=="string"&&L?L:void 0,[d,a,f,w]=["application","browser","system","address"].map(L=>c(s.get(L))),b=s.get("place"),v=b instanceof Map?c(b.get(n))??c(b.get("en")):void 0,k=a??t("loginUnknownBrowser"),x=f?t("loginSoftware",{browser:k,system:f}):k,[{parts:[C]=[]}]=i([new Map([["at",s.get("at")??null]])],pn),O=[["loginBrowser",x],["loginPlace",v],["loginAddress",w],["loginTime",C?.text]];return{headline:t("loginHeadline",{application:d??""}),screen:x,rows:O.flatMap(([L,N])=>N?[{label:t(L),value:N}]:[])}}var ue=String.raw`\0-\x1f\x7f-\x9f\xad\u034f\u0600-\u0605\u061c\u06dd\u070f\u0890\u0891\u08e2\u115f\u1160\u17b4\u17b5\u180b-\u180f\u200b-\u200f\u2028-\u202e\u2060-\u206f\u2800\u2d7f\u3164\ud800-\uf8ff\ufe00-\ufe0f\ufeff\uffa0\ufff0-\ufffc\u{1107f}\u{110bd}\u{110cd}\u{13430}-\u{1343f}\u{16fe4}\u{1bca0}-\u{1bca3}\u{1d159}\u{1d173}-\u{1d17a}\u{e0000}-\u{e0fff}\u{f0000}-\u{10ffff}`,Ee=String.raw`[\xa9\xae\u203c\u2049\u2122\u2139\u2190-\u27bf\u2934\u2935\u2b00-\u2bff\u3030\u303d\u3297\u3299\u{1f000}-\u{1faff}][\ufe0e\ufe0f]?`,fn=String.raw`[\u0600-\u109f\u1780-\u18af\u1a00-\u1cff\ua800-\uabff\u{10a00}-\u{11fff}\u{1e900}-\u{1e95f}]`,mn=e=>[...e].map(n=>String.fromCodePoint(917504+n.charCodeAt(0))).join(""),qe=`🏴(?:${["gbeng","gbsct","gbwls"].map(mn).join("|")})󠁿`,gn=new RegExp(String.raw`(${qe}|${Ee}(?:\u200d(?!${qe})${Ee})*|[\d#*]\ufe0f\u20e3|(?![${ue}])${fn}[\u200c\u200d])|([${ue}])|[^]`,"gu"),wn=new RegExp(String.raw`[${ue}\p{M}]`,"u"),ce=4,Pe=e=>/^[\p{Mn}\p{Me}]/u.test(e),De=e=>`‹U+${Number(e.codePointAt(0)).toString(16).toUpperCase().padStart(4,"0")}›`;function ne(e){let n=String(e);if(!wn.test(n))return n;let t=ce;return n.replace(gn,(i,s,c,d)=>{if(i===`
`&&n[d-1]!==`
`)return t=ce,i;if(c)return De(i);let[a,...f]=i;return Pe(a)?(t+=1,t>ce?De(a)+f.join(""):i):(/^\p{Mc}/u.test(a)||(t=f.filter(Pe).length),i)})}var z=e=>e instanceof Map?e:new Map,Y=e=>Array.isArray(e)?e:[],X=e=>e.toLowerCase().replace(/[\p{White_Space}_-]/gu,""),Ie=e=>/^$|^["\p{White_Space}]|\p{White_Space}$/u.test(e),yn=e=>/: | \/ /.test(e),bn=new Set(["payee","payeename","payto","creditor","creditorname","recipient","recipientname","beneficiary","beneficiaryname","merchant","merchantname","to"]),kn=new Map([["EUR","€"],["GBP","£"],["USD","US$"]]),vn=24,ee=e=>typeof e=="string"&&/^[A-Z]{3}$/.test(e)?e:void 0;function I(e){let n=e instanceof D?e.text:e;return typeof n=="string"&&/^-?\d+(\.\d+)?$/.test(n)?n:void 0}function Oe(e,n,t){let i=e.toLowerCase(),[s]=i.split("-"),[c,d]=s==="fr"?[" ",","]:s==="de"?[".",","]:[",","."],a={hour:"2-digit",minute:"2-digit",second:"2-digit",fractionalSecondDigits:3,hourCycle:"h23",timeZoneName:"short"},f=o=>new Intl.DateTimeFormat(s==="en"?"en-GB":s,o),w=(o,r)=>f({dateStyle:"long",timeZone:r}).format(o).replace(s==="fr"?/^1 /:/^$/,"1er ");function b(o,r,l){let u=[...z(o.get(l))];for(let g of[i,s]){let m=u.find(([y])=>y.toLowerCase()===g)?.[1];if(typeof m=="string"&&m)return m}let h=o.get(r);return typeof h=="string"&&h?h:void 0}let v=o=>b(o,"label","labels"),k=o=>b(o,"description","descriptions"),x=(o,r)=>Ie(o)||yn(o)||r.some(l=>l!==void 0&&X(l)===X(o))?JSON.stringify(o):o;function C(o,r){let[l,u]=o.replace("-","").split("."),h=o.startsWith("-")?"-":"",g=l.replace(/\B(?=(\d{3})+$)/g,c)+(u?d+u:""),m=kn.get(r);return m?s==="en"?`${h}${m}${g}`:`${h}${g} ${m}`:`${h}${g} ${r}`}function O(o){if(!(o instanceof Map)||o.size!==2)return;let[r,l]=[I(o.get("amount")??o.get("value")),ee(o.get("currency"))];return r&&l?{amount:r,currency:l,spell:C}:void 0}function L(o,r){let l=o.money??O(o.value);if(l||o.name!=="amount"&&o.name!=="value")return l;let[u,h]=[I(o.value),ee(r)];return u&&h?{amount:u,currency:h,spell:C}:void 0}function N(o,r=o.money??O(o.value)){return r?{text:C(r.amount,r.currency),money:r}:(typeof o.value=="string"?!/\P{White_Space}/u.test(o.value):o.value===null||o.value instanceof Map||Array.isArray(o.value))||o.text===void 0?void 0:{text:o.text}}let ge=o=>bn.has(X(o.name??""))&&N(o)!==void 0;function we(o,r){if(!o.length)return;let l=r?n.payment.split(/\{(\w+)\}/).filter(Boolean).map(u=>u==="amount"?{text:o[0].text}:u==="payee"?{text:o[1].text}:{text:u,isOwn:!0}):o.flatMap(({text:u},h)=>[...h?[{text:" · ",isOwn:!0}]:[],{text:u}]);return{text:l.map(({text:u})=>u).join(""),parts:l,first:o[0].text,money:o.find(u=>u.money)?.money}}function Ye(o,r){let l=Y(o).flatMap(h=>r.filter(g=>g.name===h).slice(0,1)).filter(h=>N(h)),u=l.flatMap(h=>N(h)??[]);return we(u,u.length===2&&Boolean(u[0].money)&&ge(l[1]))}function Xe(o,r){let l,u=0,h=!1,g=()=>{u+=1,h=!0};function m(T,p,M,E){let S=T.get("currency"),q=!1;for(let A of p){let G=L(A,S);if(!G){A.isUnreadableMoney&&g(),A.parts&&m(z(A.value),A.parts,M||Boolean(A.isList),A.isList?[]:[p,...E]);continue}if(q=!0,u+=1,M)continue;let Se=[p,...E].flat().filter(ge),Ae=Se.length===1?Se[0]:void 0,xe=[N(A,G),Ae&&N(Ae)].flatMap(on=>on??[]);l=we(xe,xe.length===2)}!q&&[...T.keys()].some(A=>X(A).endsWith("currency"))&&g()}m(o,r,!1,[]);let y=u===1&&!h;return{found:y?l:void 0,isMoney:u>0,isReadable:y}}function ye(o){let r=new Date(`${o}T00:00:00Z`);return/^\d{4}-\d\d-\d\d$/.test(o)&&!Number.isNaN(r.getTime())&&r.toISOString().startsWith(o)?w(r,"UTC"):void 0}function en(o){let r=/^(\d{4}-\d\d-\d\d)[Tt ]([01]\d|2[0-3]):([0-5]\d):([0-5]\d|60)(?:\.(\d+))?(?:[Zz]|([+-])([01]\d|2[0-3]):?([0-5]\d))$/.exec(o);if(!r||!ye(r[1]))return;let[,l,u,h,g,m,y,T,p]=r,M=y?(Number(T)*60+Number(p))*(y==="-"?-6e4:6e4):0,E=Date.parse(`${l}T${u}:${h}:00Z`)+Number(g)*1e3+Number((m??"").slice(0,3).padEnd(3,"0"))-M,S=Object.fromEntries(f({...a,timeZone:t}).formatToParts(E).map(({type:A,value:G})=>[A,G])),q=S.fractionalSecond==="000"?S.second==="00"?"":`:${S.second}`:`:${S.second}.${S.fractionalSecond}`;return`${w(E,t)}, ${S.hour}:${S.minute}${q} ${S.timeZoneName}`}function nn(o,r,l){if(r==="money"&&o instanceof Map){let[g,m]=[I(o.get("amount")??o.get("value")),ee(o.get("currency"))];return o.size===2&&g&&m?C(g,m):void 0}let u=I(o);return r==="money"?l&&u?C(u,l):void 0:typeof o!="string"?void 0:r==="date"?ye(o):r==="date-time"?en(o):r!=="account"?void 0:/^[A-Z]{2}\d\d[A-Z0-9]{11,30}$/.test(o)?o.replace(/.{4}(?=.)/g,"$& "):o}function tn(o){if(typeof o=="string"){let r=[n.none,n.yes,n.no,"{}","[]"].includes(o),l=/^-?(0|[1-9]\d*)(\.\d+)?([eE][-+]?\d+)?$/.test(o);return r||l||Ie(o)?JSON.stringify(o):o}return o instanceof D?o.text:o===null?n.none:typeof o=="boolean"?o?n.yes:n.no:Array.isArray(o)?"[]":"{}"}let be=(o,r)=>r.get("format")==="money"&&!(o instanceof Map)&&o!==null&&{isUnreadableMoney:!0};function ke(o,r,l){let u=nn(o,r.get("format"),l);if(u!==void 0){let m=I(o),y=r.get("format")==="money";return{text:u,isFormatted:!0,value:o,...y&&{money:O(o)??(m&&l?{amount:m,currency:l,spell:C}:void 0)}}}if(o instanceof Map&&o.size)return{parts:ve(o,r),value:o};if(!Array.isArray(o)||!o.length)return{text:tn(o),value:o,...be(o,r)};let h=z(r.get("items")),g={title:v(h),description:k(h)};return{isList:!0,value:o,...be(o,r),parts:o.map(m=>({...g,...ke(m,h,l)}))}}function ve(o,r,l=!1){let u=new Map([...o.keys()].map(p=>[p,z(z(r.get("members")).get(p))])),h=[...u.values()].map(v),g=ee(o.get("currency")),y=[...o].some(([p,M])=>p!=="currency"&&u.get(p)?.get("format")==="money"&&I(M))?g:void 0,T=Y(r.get("order")).filter(p=>o.has(p));return[...new Set([...T,...o.keys()])].filter(p=>!(y&&p==="currency")&&!(l&&p==="type"&&typeof o.get(p)=="string")).map(p=>({name:p,title:v(z(u.get(p)))??x(p,h),description:k(z(u.get(p))),...ke(o.get(p),z(u.get(p)),y)}))}return(o,r)=>{let l=Y(r).map(z),u=l.map(v);return Y(o).map(z).map((h,g)=>{let[m,y]=[h.get("type"),l[g]??new Map],T=ve(h,y,!0),{found:p,isMoney:M,isReadable:E}=Xe(h,T),S=Ye(y.get("headline"),T)??p,q=!M||E&&S?.money!==void 0,A=S?.money?.amount.startsWith("-")===!0;return{isMoney:M,isWhole:q,isGroupable:y.get("groupable")===!0&&q&&!A,headline:S,title:v(y)??(typeof m=="string"?x(m,u):void 0),description:k(y),parts:T}})}}function Sn(e){if(e.length===1)return e[0];let n=Math.max(...e.map(c=>(c.split(".")[1]??"").length)),t=e.map(c=>{let[d,a=""]=c.split(".");return BigInt(d+a.padEnd(n,"0"))}).reduce((c,d)=>c+d,0n),i=String(t).replace("-","").padStart(n+1,"0"),s=n?`.${i.slice(-n)}`:"";return`${t<0n?"-":""}${i.slice(0,i.length-n)}${s}`}function je(e){let n=e.flatMap(({headline:a})=>a??[]),t=e.some(a=>a.isMoney),s=e.every(a=>a.isWhole)?n.flatMap(({money:a})=>a??[]):[],c=[...new Set(s.map(({currency:a})=>a))].map(a=>{let f=s.filter(w=>w.currency===a);return f[0].spell(Sn(f.map(({amount:w})=>w)),a)}),d=e.length===1&&!t&&n[0]&&[...n[0].first].length<=vn?n[0].first:void 0;return{lines:n,sums:c,action:c.length?c.join(" + "):d,isMoney:t,isGroupable:e.every(a=>!a.isMoney||a.isGroupable)}}var Be=`
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
`;var de=["en","fr","de"],xn=e=>de.includes(e.slice(0,2).toLowerCase()),he=navigator.languages.find(xn)??"en",te=he.slice(0,2).toLowerCase(),le=Be.trim().split(`
`).map(e=>e.trim()),Tn=de.length+1,zn=de.indexOf(te)+1,pe=new Map;for(let e=0;e<le.length;e+=Tn)pe.set(le[e],le[e+zn]);var lt=new Intl.PluralRules(te);function We(e,n,t){let i=pe.get(e);if(i===void 0)throw new Error(`no text ${e}`);return i.split(/\{(\w+)\}/).map((s,c)=>{let d=n[s];return c%2===0?s:typeof d=="number"?d.toLocaleString(he):t(d)})}var R=(e,n={})=>We(e,n,t=>`⁨${ne(t)}⁩`).join(""),Ue=(e,n={})=>We(e,n,t=>t).join("");var fe=Oe(he,{none:R("none"),yes:R("yes"),no:R("no"),payment:pe.get("payment")??""});var _e=e=>fe(e.get("authorization_details"),e.get("presentation")),Ve=e=>e.get("client_name")??e.get("client_id")??"",Ln=e=>$e(e,te,Ue,fe);var Mn=e=>e.title??R("untyped");var Cn=(...e)=>je(e.flatMap(_e));function Nn(e){let n=Ln(e)?.headline;if(n)return[[{text:n}]];let{lines:t}=Cn(e);return t.length?t.map(({parts:i})=>i):_e(e).map(i=>[{text:Mn(i)}])}var Rn=e=>e.get("audience_name")??e.get("audience"),$n=/[\u2066-\u2069]/g,En=e=>e.map(({text:n})=>ne(n)).join("");function Fe(e){let[n,t]=[Nn(e),Rn(e)];return n.length?n.map(En).join(", "):t?R("accessTo",{audience:t}).replace($n,""):""}var Ke;function qn(){return Ke??=new Promise((e,n)=>{let t=indexedDB.open("approver",1);t.onupgradeneeded=()=>{t.result.createObjectStore("accounts",{keyPath:"id"}),t.result.createObjectStore("values")},t.onsuccess=()=>e(t.result),t.onerror=()=>n(t.error)}),Ke}async function oe(e,n,t){let i=(await qn()).transaction(e,n,{durability:"strict"});return new Promise((s,c)=>{let d=t(i.objectStore(e));i.oncomplete=()=>s(d.result),i.onabort=()=>c(i.error)})}async function ie(){return(await oe("accounts","readonly",n=>n.getAll())).sort((n,t)=>n.addedAt-t.addedAt)}var Ge=e=>oe("accounts","readonly",n=>n.get(e));function He(e,n){return Object.assign(e,n),oe("accounts","readwrite",t=>{let i=t.get(e.id);return i.onsuccess=()=>i.result&&t.put({...i.result,...n}),i})}var F=e=>oe("values","readonly",n=>n.get(e));var Pn="preview",Dn=3e3,In=async()=>await F(Pn)===!0;async function Ze(e,n){if(!await In())return;let t=async()=>{let s=Re(await e.record(n)),c=s instanceof Map&&Fe(s);return c?R("noticeAsks",{client:Ve(s),what:c}):void 0},i=new Promise(s=>{setTimeout(s,Dn)});return Promise.race([t(),i]).catch(()=>{})}var se="approver-%VERSION%",$="/approver",K="/approver/%VERSION%/",On="%FILES%".split(" ").map(e=>K+e),jn={install:Bn,activate:Wn,push:Vn,notificationclick:Hn,pushsubscriptionchange:Zn};for(let[e,n]of Object.entries(jn))self.addEventListener(e,t=>t.waitUntil(n(t)));self.addEventListener("fetch",e=>{let{method:n,url:t}=e.request,{origin:i,pathname:s}=new URL(t);n!=="GET"||i!==location.origin||(s.startsWith(K)?e.respondWith(Un(e.request)):s===$&&_n(e))});async function Bn(){await(await caches.open(se)).addAll([new Request($,{cache:"reload"}),...On]),await self.skipWaiting()}async function Wn(){for(let e of await caches.keys())e.startsWith("approver-")&&e!==se&&await caches.delete(e);await self.clients.claim()}async function Un(e){let n=await caches.match(e);if(n)return n;let t=await fetch(e);return t.ok&&await(await caches.open(se)).put(e,t.clone()),t}function _n(e){let n=(async()=>{let t=await caches.open(se),i=await fetch($,{cache:"no-cache"});return i.ok&&(await i.clone().text()).includes(K)&&await t.put($,i.clone()),i})();e.respondWith(caches.match($).then(t=>t??n)),e.waitUntil(n.catch(()=>{}))}async function Vn({data:e}){let n={};try{n=e.json()??{}}catch{}if((await ie()).length===0)return Fn();let t=await F("brief")??{};if(n.kind==="withdrawal")return Je(n.txlnkid,t);let i=n.dai&&await Ge(n.dai),[s,c,d]=[t.name??location.host,t.someRequest??"",i?.quietHours];if(i&&t.base){let w=new _(t.base,i),[b,v]=await Promise.all([w.pending(),w.preferences()].map(x=>x.catch(()=>{}))),k=b?.find(({mfa:x})=>x.txlnkid===n.txlnkid);if(k)c=await Ze(w,k.mfa)??k.aps.alert.body;else if(b)return Je(n.txlnkid,t);v&&(d=v.quiet_hours)}i&&(await ie()).length>1&&(s+=` · ${i.label}`);let a=await Kn(n,d),f=n.txlnkid;await me(s,{body:c,silent:a,tag:f,renotify:!a&&Boolean(f),requireInteraction:!0,data:{request:f,account:i?.id}})}async function Fn(){await(await self.registration.pushManager.getSubscription())?.unsubscribe(),await Ne([]);let{name:e,notice:n}=await V();await me(e??location.host,{body:n??"",tag:"lost"})}function me(e,n){return self.registration.showNotification(e,{icon:`${K}icon-192.png`,badge:`${K}badge-96.png`,dir:"auto",...n})}async function Qe(){return(await self.clients.matchAll({type:"window",includeUncontrolled:!0})).filter(n=>new URL(n.url).pathname===$)}async function Kn({urgent:e},n){let t=await Qe();for(let i of t)i.postMessage({});return t.some(i=>i.visibilityState==="visible"&&i.focused)||!e&&Gn(n)}function Gn(e,n=new Date){if(!e)return!1;let{from:t,to:i}=e,s=n.toTimeString().slice(0,5);return t<=i?s>=t&&s<i:s>=t||s<i}async function Je(e,n){await me(n.name??location.host,{body:n.over??"",tag:e,silent:!0});for(let t of await self.registration.getNotifications({tag:e}))t.close()}async function Hn({notification:e}){e.close();let{request:n}=e.data??{},[t]=await Qe();return t?(t.postMessage({request:n}),t.focus()):self.clients.openWindow(n?`${$}#request=${n}`:$)}async function Zn({oldSubscription:e,newSubscription:n}){let{base:t}=await F("brief")??{},i=n??(e&&await self.registration.pushManager.subscribe(e.options));!i||!t||await Promise.allSettled((await ie()).map(async s=>{await new _(t,s).describe(i),await He(s,{pushEndpoint:i.endpoint})}))}})();
