var zo={name:"ECDSA",namedCurve:"P-256"},jo={name:"ECDSA",hash:"SHA-256"},tn=()=>crypto.subtle.generateKey(zo,!1,["sign"]);async function ft(n){let{kty:e,crv:t,x:o,y:s}=await crypto.subtle.exportKey("jwk",n);return{kty:e,crv:t,x:o,y:s}}async function Te(n,e,t={typ:"JWT"}){let o=r=>$(pt(JSON.stringify(r))),s=`${o({alg:"ES256",...t})}.${o(e)}`;return`${s}.${$(await crypto.subtle.sign(jo,n.privateKey,pt(s)))}`}var nn=n=>Te(n,{}).then(()=>!0,()=>!1),pt=n=>new TextEncoder().encode(n);function $(n){let e="";for(let t of new Uint8Array(n))e+=String.fromCharCode(t);return btoa(e).replaceAll("+","-").replaceAll("/","_").replaceAll("=","")}function F(n){let e=atob(n.replaceAll("-","+").replaceAll("_","/"));return Uint8Array.from(e,t=>t.charCodeAt(0))}var me=async n=>new Uint8Array(await crypto.subtle.digest("SHA-256",pt(n)));var O=class extends Error{constructor(e,t){super(e),this.code=e,this.status=t}},R=class extends Error{},Do="document"in globalThis?2e4:5e3,Bo=["signed-digest","number-matching","number-typing",..."PublicKeyCredential"in globalThis?["passkeys"]:[]],mt=({generator:n})=>[...Bo,...n?["one-time-code"]:[]],Le=n=>mt(n).join(" "),ne=0,D=()=>Date.now()+ne,Ge=()=>Math.floor(D()/1e3);function Io(n){let e=Date.parse(n.headers.get("Date")??"");if(!Number.isNaN(e)&&!n.headers.has("Age")){let t=e+500-Date.now();Math.abs(t-ne)>1500&&(ne=t)}}async function te(n,e={}){let t;try{t=await fetch(n,{cache:"no-store",credentials:"omit",redirect:"error",signal:AbortSignal.timeout(Do),...e})}catch(s){throw new R(String(s))}if(Io(t),t.ok)return t;let o=await t.json().catch(()=>({}));throw t.status>=500&&!o.errorCode?new R(`status ${t.status}`):new O(o.errorCode??o.error,t.status)}var qo=["invalid_challenge","invalid_proof"];async function Je(n,e){let t=ne;try{return await e()}catch(o){if(!(o instanceof O)||o.status!==401&&(ne===t||!qo.includes(o.code)))throw o;return n.tokens.clear(),e()}}var ge=(n,e,t={})=>({method:n,body:JSON.stringify(e),headers:{"Content-Type":"application/json",...t}}),we=class{constructor(e,t){this.base=e,this.account=t,this.tokens=new Map}async token(e){let t=this.tokens.get(e);if(t?.ahead===ne&&t.until>Ge())return t.text;let o=Ge(),{id:s,userId:r,key:c}=this.account,l=await Te(c,{iss:s,sub:r,aud:e,iat:o,exp:o+300});return this.tokens.set(e,{text:l,ahead:ne,until:o+240}),l}own(e,t={}){let o=`${this.base}/api/device-accounts`;return Je(this,async()=>{let s={...t.headers,Authorization:`Bearer ${await this.token(o)}`};return te(`${o}/${this.account.id}${e}`,{...t,headers:s})})}events(e,t){let o=`${this.base}/api/notifications`;return Je(this,async()=>{let s={Authorization:`Bearer ${await this.token(o)}`,Accept:"text/event-stream"};return e&&(s["Last-Event-ID"]=e),te(`${o}?records=true`,{headers:s,signal:t})})}async record({txlnkid:e,txtkn:t}){let o=new URL(`/rich-consents/${encodeURIComponent(e)}`,this.base).href,s={typ:"dpop+jwt",jwk:await ft(this.account.key.publicKey)},r=$(await me(t)),c=await Je(this,async()=>{let p={htu:o,htm:"GET",ath:r,jti:crypto.randomUUID(),iat:Ge()},h=await Te(this.account.key,p,s);return te(o,{headers:{Authorization:`MFA-DPoP ${t}`,"MFA-DPoP":h}})}),{id:l,record:d}=await c.json();if(l!==e||typeof d!="string")throw new O("no_record");return d}resolve({txtkn:e,c:t},o,s){let r=`${this.base}/api/resolve-transaction`;return Je(this,async()=>{let c=Ge(),l={iss:this.account.identifier,sub:t,aud:r,iat:c,exp:c+30,auth0_guardian_method:"push",auth0_guardian_accepted:o.accepted,auth0_guardian_reason:o.reason,request_digest:$(o.digest),matching_pick:o.pick,reported:o.reported},d={challenge_response:await Te(this.account.key,l),passkey:s};return te(r,ge("POST",d,{Authorization:`Bearer ${e}`}))})}read=async e=>(await this.own(e)).json();pending=async()=>(await this.read("/pending?records=true")).requests;phones=()=>this.read("/devices");preferences=()=>this.read("/preferences");keepPreferences=e=>this.own("/preferences",ge("PUT",e));passkey=()=>this.read("/passkey");keepPasskey=e=>this.own("/passkey",ge("PUT",e));newPhone=async e=>(await this.own("/tickets",ge("POST",{passkey:e}))).json();update=e=>this.own("",ge("PATCH",e));remove=()=>this.own("",{method:"DELETE"});receipt=async e=>(await this.own(`/receipts/${encodeURIComponent(e)}`)).text();history(e){let t=new URLSearchParams({limit:"20",unanswered:"true",...e&&{before:e}});return this.read(`/requests?${t}`)}tell(e){let t=e&&JSON.stringify(e),o="document"in globalThis?void 0:this.account.capabilities?.split(" ");return this.update({capabilities:o??mt(this.account),...t&&{push_credentials:{service:"WEBPUSH",token:t}}})}},on=(n,e,t)=>te(`${n}/api/device-accounts/${e}/farewell`,{method:"POST",headers:{Authorization:`Farewell id="${t}"`}}),sn=async(n,e)=>(await te(`${n}/api/enroll/code`,{method:"POST",headers:{Authorization:`Ticket id="${e}"`}})).json();async function rn(n,{ticket:e,code:t},{identifier:o,name:s,key:r}){let c={identifier:o,name:s,public_key:await ft(r.publicKey),capabilities:mt({generator:{}})};return(await te(`${n}/api/enroll`,ge("POST",c,{Authorization:t?`Code id="${t}"`:`Ticket id="${e}"`}))).json()}var wt="http://www.w3.org/2000/svg";function i(n,...e){let[t,...o]=n.split("."),s=document.createElement(t);return o.length&&(s.className=o.join(" ")),e[0]?.constructor===Object&&gt(s,e.shift()),s.append(...e.flat(1/0).filter(Boolean)),s}function gt(n,e){for(let[t,o]of Object.entries(e))(o??!1)!==!1&&(t.startsWith("on")?n.addEventListener(t.slice(2),o):n.setAttribute(t,o===!0?"":o))}function ye(n,e){for(let[t,o]of Object.entries(e))n.addEventListener(t,o)}var T=(...n)=>i("h1",{tabindex:-1},n);function oe(n){let[e,t]=["svg","path"].map(o=>document.createElementNS(wt,o));return gt(e,{viewBox:"0 0 24 24","aria-hidden":"true",class:"icon"}),gt(t,{d:n}),e.append(t),e}var z=(n,e="seal")=>i(`span.${e}`,{"aria-hidden":"true"},oe(n)),_={requests:"M12 3l7 3v5c0 4.6-2.9 8.4-7 10-4.1-1.6-7-5.4-7-10V6zM9 12l2.2 2.2L15.5 10",history:"M12 7v5l3.2 2M4 12a8 8 0 1 0 2.5-5.8L4 8.6M4 4v4.6h4.6",settings:"M4 7h9m4 0h3M4 12h3m4 0h9M4 17h9m4 0h3M15 5v4M9 10v4M15 15v4",away:"M4 4l16 16M8.5 16.5a5 5 0 0 1 7 0M5 13a10 10 0 0 1 4.6-2.6M19 13a10 10 0 0 0-3.2-2.2M12 20h.01",phone:"M8 3h8a1 1 0 0 1 1 1v16a1 1 0 0 1-1 1H8a1 1 0 0 1-1-1V4a1 1 0 0 1 1-1zM11 18h2",share:"M12 15V3m0 0L8.5 6.5M12 3l3.5 3.5M8 10H6v11h12V10h-2",add:"M5 4h14a1 1 0 0 1 1 1v14a1 1 0 0 1-1 1H5a1 1 0 0 1-1-1V5a1 1 0 0 1 1-1zM12 8v8M8 12h8",done:"M5 12.5l4.5 4.5L19 7.5",no:"M6 6l12 12M18 6L6 18"},se=(n,...e)=>i("form",{novalidate:!0,onsubmit:t=>{t.preventDefault(),n(t)}},e),m=(n,e,t,o={})=>i(`button.${n}`,{type:"button",onclick:t,...o},e);function Wo({top:n,bottom:e},t){return Math.max((n+e)/2,e-(t.bottom-t.top))>=t.top-1&&e<=t.bottom+1}var be=class{unread;since=new Map;constructor(e){this.unread=new Set(Array.from({length:e},(t,o)=>o))}look(e,t){let o=this.unread.size,s=new Map;for(let r of e){if(!this.unread.has(r))continue;let c=this.since.get(r)??t;t-c>=300?this.unread.delete(r):s.set(r,c)}return this.since=s,this.unread.size<o}},ve=class{parts=[];timer;constructor(e,t){this.view=e,this.changed=t}follow(e){this.stop(),this.parts=e,this.unread.length&&(addEventListener("scroll",this.look,{capture:!0,passive:!0}),this.timer=setInterval(this.look,100),this.look())}stop(){removeEventListener("scroll",this.look,{capture:!0}),clearInterval(this.timer),this.timer=void 0}get unread(){return this.parts.filter(({reading:e,index:t})=>e.unread.has(t))}look=()=>{let e=document.hidden?void 0:this.view(),t=new Map(this.parts.map(({reading:r})=>[r,[]]));for(let{element:r,reading:c,index:l}of e?this.unread:[])Wo(r.getBoundingClientRect(),e)&&t.get(c)?.push(l);let o=performance.now(),s=[...t].map(([r,c])=>r.look(c,o)).includes(!0);this.unread.length||this.stop(),s&&this.changed()}};function an(n){n.tabIndex=-1,n.focus({preventScroll:!0}),n.scrollIntoView({block:"start"})}var Uo=[new Map([["members",new Map([["at",new Map([["format","date-time"]])]])]])];function cn(n,e,t,o){let s=n.get("login");if(!(s instanceof Map))return;let r=P=>typeof P=="string"&&P?P:void 0,[c,l,d,p]=["application","browser","system","address"].map(P=>r(s.get(P))),h=s.get("place"),y=h instanceof Map?r(h.get(e))??r(h.get("en")):void 0,x=l??t("loginUnknownBrowser"),L=d?t("loginSoftware",{browser:x,system:d}):x,[{parts:[I]=[]}]=o([new Map([["at",s.get("at")??null]])],Uo),Y=[["loginBrowser",L],["loginPlace",y],["loginAddress",p],["loginTime",I?.text]];return{headline:t("loginHeadline",{application:c??""}),screen:L,rows:Y.flatMap(([P,U])=>U?[{label:t(P),value:U}]:[])}}var ke=class{constructor(e){this.text=e}},yt=/[\t\n\r ]*(?:([{}[\]:,])|("(?:[^"\\]|\\.)*")|(-?\d+(?:\.\d+)?(?:[eE][-+]?\d+)?)|(true|false|null))/sy;function ie(n){let e=0,t=(l=`at ${e}`)=>{throw new SyntaxError(l)};function o(){yt.lastIndex=e;let l=yt.exec(n)??t();return e=yt.lastIndex,l}function s(l,d){let p=e;if(o()[1]!==l)for(e=p;;){d();let[,h]=o();if(h===l)return;h!==","&&t()}}function r(){let[,l,d,p,h]=o();if(p)return new ke(p);if(d??h)return JSON.parse(d??h);if(l==="["){let x=[];return s("]",()=>x.push(r())),x}l!=="{"&&t();let y=new Map;return s("}",()=>{let[,,x]=o();(!x||o()[1]!==":")&&t();let L=JSON.parse(x);y.has(L)&&t(`twice: ${L}`),y.set(L,r())}),y}let c=r();return n.slice(e).trim()&&t(),c}var vt=String.raw`\0-\x1f\x7f-\x9f\xad\u034f\u0600-\u0605\u061c\u06dd\u070f\u0890\u0891\u08e2\u115f\u1160\u17b4\u17b5\u180b-\u180f\u200b-\u200f\u2028-\u202e\u2060-\u206f\u2800\u2d7f\u3164\ud800-\uf8ff\ufe00-\ufe0f\ufeff\uffa0\ufff0-\ufffc\u{1107f}\u{110bd}\u{110cd}\u{13430}-\u{1343f}\u{16fe4}\u{1bca0}-\u{1bca3}\u{1d159}\u{1d173}-\u{1d17a}\u{e0000}-\u{e0fff}\u{f0000}-\u{10ffff}`,ln=String.raw`[\xa9\xae\u203c\u2049\u2122\u2139\u2190-\u27bf\u2934\u2935\u2b00-\u2bff\u3030\u303d\u3297\u3299\u{1f000}-\u{1faff}][\ufe0e\ufe0f]?`,Vo=String.raw`[\u0600-\u109f\u1780-\u18af\u1a00-\u1cff\ua800-\uabff\u{10a00}-\u{11fff}\u{1e900}-\u{1e95f}]`,Fo=n=>[...n].map(e=>String.fromCodePoint(917504+e.charCodeAt(0))).join(""),un=`🏴(?:${["gbeng","gbsct","gbwls"].map(Fo).join("|")})󠁿`,Ho=new RegExp(String.raw`(${un}|${ln}(?:\u200d(?!${un})${ln})*|[\d#*]\ufe0f\u20e3|(?![${vt}])${Vo}[\u200c\u200d])|([${vt}])|[^]`,"gu"),Ko=new RegExp(String.raw`[${vt}\p{M}]`,"u"),bt=4,dn=n=>/^[\p{Mn}\p{Me}]/u.test(n),hn=n=>`‹U+${Number(n.codePointAt(0)).toString(16).toUpperCase().padStart(4,"0")}›`;function Oe(n){let e=String(n);if(!Ko.test(e))return e;let t=bt;return e.replace(Ho,(o,s,r,c)=>{if(o===`
`&&e[c-1]!==`
`)return t=bt,o;if(r)return hn(o);let[l,...d]=o;return dn(l)?(t+=1,t>bt?hn(l)+d.join(""):o):(/^\p{Mc}/u.test(l)||(t=d.filter(dn).length),o)})}var H=n=>n instanceof Map?n:new Map,Ze=n=>Array.isArray(n)?n:[],Qe=n=>n.toLowerCase().replace(/[\p{White_Space}_-]/gu,""),pn=n=>/^$|^["\p{White_Space}]|\p{White_Space}$/u.test(n),Go=n=>/: | \/ /.test(n),Jo=new Set(["payee","payeename","payto","creditor","creditorname","recipient","recipientname","beneficiary","beneficiaryname","merchant","merchantname","to"]),Zo=new Map([["EUR","€"],["GBP","£"],["USD","US$"]]),Qo=24,Ye=n=>typeof n=="string"&&/^[A-Z]{3}$/.test(n)?n:void 0;function Se(n){let e=n instanceof ke?n.text:n;return typeof e=="string"&&/^-?\d+(\.\d+)?$/.test(e)?e:void 0}function fn(n,e,t){let o=n.toLowerCase(),[s]=o.split("-"),[r,c]=s==="fr"?[" ",","]:s==="de"?[".",","]:[",","."],l={hour:"2-digit",minute:"2-digit",second:"2-digit",fractionalSecondDigits:3,hourCycle:"h23",timeZoneName:"short"},d=u=>new Intl.DateTimeFormat(s==="en"?"en-GB":s,u),p=(u,f)=>d({dateStyle:"long",timeZone:f}).format(u).replace(s==="fr"?/^1 /:/^$/,"1er ");function h(u,f,w){let g=[...H(u.get(w))];for(let C of[o,s]){let A=g.find(([M])=>M.toLowerCase()===C)?.[1];if(typeof A=="string"&&A)return A}let k=u.get(f);return typeof k=="string"&&k?k:void 0}let y=u=>h(u,"label","labels"),x=u=>h(u,"description","descriptions"),L=(u,f)=>pn(u)||Go(u)||f.some(w=>w!==void 0&&Qe(w)===Qe(u))?JSON.stringify(u):u;function I(u,f){let[w,g]=u.replace("-","").split("."),k=u.startsWith("-")?"-":"",C=w.replace(/\B(?=(\d{3})+$)/g,r)+(g?c+g:""),A=Zo.get(f);return A?s==="en"?`${k}${A}${C}`:`${k}${C} ${A}`:`${k}${C} ${f}`}function Y(u){if(!(u instanceof Map)||u.size!==2)return;let[f,w]=[Se(u.get("amount")??u.get("value")),Ye(u.get("currency"))];return f&&w?{amount:f,currency:w,spell:I}:void 0}function P(u,f){let w=u.money??Y(u.value);if(w||u.name!=="amount"&&u.name!=="value")return w;let[g,k]=[Se(u.value),Ye(f)];return g&&k?{amount:g,currency:k,spell:I}:void 0}function U(u,f=u.money??Y(u.value)){return f?{text:I(f.amount,f.currency),money:f}:(typeof u.value=="string"?!/\P{White_Space}/u.test(u.value):u.value===null||u.value instanceof Map||Array.isArray(u.value))||u.text===void 0?void 0:{text:u.text}}let Ht=u=>Jo.has(Qe(u.name??""))&&U(u)!==void 0;function Kt(u,f){if(!u.length)return;let w=f?e.payment.split(/\{(\w+)\}/).filter(Boolean).map(g=>g==="amount"?{text:u[0].text}:g==="payee"?{text:u[1].text}:{text:g,isOwn:!0}):u.flatMap(({text:g},k)=>[...k?[{text:" · ",isOwn:!0}]:[],{text:g}]);return{text:w.map(({text:g})=>g).join(""),parts:w,first:u[0].text,money:u.find(g=>g.money)?.money}}function Mo(u,f){let w=Ze(u).flatMap(k=>f.filter(C=>C.name===k).slice(0,1)).filter(k=>U(k)),g=w.flatMap(k=>U(k)??[]);return Kt(g,g.length===2&&Boolean(g[0].money)&&Ht(w[1]))}function No(u,f){let w,g=0,k=!1,C=()=>{g+=1,k=!0};function A(V,S,K,X){let N=V.get("currency"),ee=!1;for(let E of S){let Ke=P(E,N);if(!Ke){E.isUnreadableMoney&&C(),E.parts&&A(H(E.value),E.parts,K||Boolean(E.isList),E.isList?[]:[S,...X]);continue}if(ee=!0,g+=1,K)continue;let Yt=[S,...X].flat().filter(Ht),Xt=Yt.length===1?Yt[0]:void 0,en=[U(E,Ke),Xt&&U(Xt)].flatMap($o=>$o??[]);w=Kt(en,en.length===2)}!ee&&[...V.keys()].some(E=>Qe(E).endsWith("currency"))&&C()}A(u,f,!1,[]);let M=g===1&&!k;return{found:M?w:void 0,isMoney:g>0,isReadable:M}}function Gt(u){let f=new Date(`${u}T00:00:00Z`);return/^\d{4}-\d\d-\d\d$/.test(u)&&!Number.isNaN(f.getTime())&&f.toISOString().startsWith(u)?p(f,"UTC"):void 0}function Eo(u){let f=/^(\d{4}-\d\d-\d\d)[Tt ]([01]\d|2[0-3]):([0-5]\d):([0-5]\d|60)(?:\.(\d+))?(?:[Zz]|([+-])([01]\d|2[0-3]):?([0-5]\d))$/.exec(u);if(!f||!Gt(f[1]))return;let[,w,g,k,C,A,M,V,S]=f,K=M?(Number(V)*60+Number(S))*(M==="-"?-6e4:6e4):0,X=Date.parse(`${w}T${g}:${k}:00Z`)+Number(C)*1e3+Number((A??"").slice(0,3).padEnd(3,"0"))-K,N=Object.fromEntries(d({...l,timeZone:t}).formatToParts(X).map(({type:E,value:Ke})=>[E,Ke])),ee=N.fractionalSecond==="000"?N.second==="00"?"":`:${N.second}`:`:${N.second}.${N.fractionalSecond}`;return`${p(X,t)}, ${N.hour}:${N.minute}${ee} ${N.timeZoneName}`}function Ro(u,f,w){if(f==="money"&&u instanceof Map){let[C,A]=[Se(u.get("amount")??u.get("value")),Ye(u.get("currency"))];return u.size===2&&C&&A?I(C,A):void 0}let g=Se(u);return f==="money"?w&&g?I(g,w):void 0:typeof u!="string"?void 0:f==="date"?Gt(u):f==="date-time"?Eo(u):f!=="account"?void 0:/^[A-Z]{2}\d\d[A-Z0-9]{11,30}$/.test(u)?u.replace(/.{4}(?=.)/g,"$& "):u}function Po(u){if(typeof u=="string"){let f=[e.none,e.yes,e.no,"{}","[]"].includes(u),w=/^-?(0|[1-9]\d*)(\.\d+)?([eE][-+]?\d+)?$/.test(u);return f||w||pn(u)?JSON.stringify(u):u}return u instanceof ke?u.text:u===null?e.none:typeof u=="boolean"?u?e.yes:e.no:Array.isArray(u)?"[]":"{}"}let Jt=(u,f)=>f.get("format")==="money"&&!(u instanceof Map)&&u!==null&&{isUnreadableMoney:!0};function Zt(u,f,w){let g=Ro(u,f.get("format"),w);if(g!==void 0){let A=Se(u),M=f.get("format")==="money";return{text:g,isFormatted:!0,value:u,...M&&{money:Y(u)??(A&&w?{amount:A,currency:w,spell:I}:void 0)}}}if(u instanceof Map&&u.size)return{parts:Qt(u,f),value:u};if(!Array.isArray(u)||!u.length)return{text:Po(u),value:u,...Jt(u,f)};let k=H(f.get("items")),C={title:y(k),description:x(k)};return{isList:!0,value:u,...Jt(u,f),parts:u.map(A=>({...C,...Zt(A,k,w)}))}}function Qt(u,f,w=!1){let g=new Map([...u.keys()].map(S=>[S,H(H(f.get("members")).get(S))])),k=[...g.values()].map(y),C=Ye(u.get("currency")),M=[...u].some(([S,K])=>S!=="currency"&&g.get(S)?.get("format")==="money"&&Se(K))?C:void 0,V=Ze(f.get("order")).filter(S=>u.has(S));return[...new Set([...V,...u.keys()])].filter(S=>!(M&&S==="currency")&&!(w&&S==="type"&&typeof u.get(S)=="string")).map(S=>({name:S,title:y(H(g.get(S)))??L(S,k),description:x(H(g.get(S))),...Zt(u.get(S),H(g.get(S)),M)}))}return(u,f)=>{let w=Ze(f).map(H),g=w.map(y);return Ze(u).map(H).map((k,C)=>{let[A,M]=[k.get("type"),w[C]??new Map],V=Qt(k,M,!0),{found:S,isMoney:K,isReadable:X}=No(k,V),N=Mo(M.get("headline"),V)??S,ee=!K||X&&N?.money!==void 0,E=N?.money?.amount.startsWith("-")===!0;return{isMoney:K,isWhole:ee,isGroupable:M.get("groupable")===!0&&ee&&!E,headline:N,title:y(M)??(typeof A=="string"?L(A,g):void 0),description:x(M),parts:V}})}}function Yo(n){if(n.length===1)return n[0];let e=Math.max(...n.map(r=>(r.split(".")[1]??"").length)),t=n.map(r=>{let[c,l=""]=r.split(".");return BigInt(c+l.padEnd(e,"0"))}).reduce((r,c)=>r+c,0n),o=String(t).replace("-","").padStart(e+1,"0"),s=e?`.${o.slice(-e)}`:"";return`${t<0n?"-":""}${o.slice(0,o.length-e)}${s}`}function mn(n){let e=n.flatMap(({headline:l})=>l??[]),t=n.some(l=>l.isMoney),s=n.every(l=>l.isWhole)?e.flatMap(({money:l})=>l??[]):[],r=[...new Set(s.map(({currency:l})=>l))].map(l=>{let d=s.filter(p=>p.currency===l);return d[0].spell(Yo(d.map(({amount:p})=>p)),l)}),c=n.length===1&&!t&&e[0]&&[...e[0].first].length<=Qo?e[0].first:void 0;return{lines:e,sums:r,action:r.length?r.join(" + "):c,isMoney:t,isGroupable:n.every(l=>!l.isMoney||l.isGroupable)}}var gn=`
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
`;var St=["en","fr","de"],Xo=n=>St.includes(n.slice(0,2).toLowerCase()),re=navigator.languages.find(Xo)??"en",xe=re.slice(0,2).toLowerCase(),kt=gn.trim().split(`
`).map(n=>n.trim()),es=St.length+1,ts=St.indexOf(xe)+1,Xe=new Map;for(let n=0;n<kt.length;n+=es)Xe.set(kt[n],kt[n+ts]);var ns=new Intl.PluralRules(xe),xt=n=>Xe.has(n);function At(n,e,t){let o=Xe.get(n);if(o===void 0)throw new Error(`no text ${n}`);return o.split(/\{(\w+)\}/).map((s,r)=>{let c=e[s];return r%2===0?s:typeof c=="number"?c.toLocaleString(re):t(c)})}var a=(n,e={})=>At(n,e,t=>`⁨${Oe(t)}⁩`).join(""),wn=(n,e={})=>At(n,e,t=>t).join(""),b=(n,e={})=>At(n,e,t=>t instanceof Node?t:v(t)),ae=(n,e)=>b(`${n}_${ns.select(e)==="one"?"one":"other"}`,{count:e}),v=(n,e="bdi")=>i(e,{dir:"auto"},Oe(n)),Ct=fn(re,{none:a("none"),yes:a("yes"),no:a("no"),payment:Xe.get("payment")??""}),yn=n=>new Intl.ListFormat(re).format(n),bn=n=>new Intl.DateTimeFormat(re,{dateStyle:"medium"}).format(n),ce=n=>new Intl.DateTimeFormat(re,{dateStyle:"medium",timeStyle:"short"}).format(n),os=[["day",86400],["hour",3600],["minute",60],["second",1]];function vn(n){let e=Math.max(0,Math.ceil(n/1e3)),t=os.map(([s,r])=>{let c=Math.floor(e/r);return e%=r,{number:c,unit:s}}),o=t.findIndex(({number:s,unit:r})=>s>0||r==="second");return t.slice(o,o+2).filter(({number:s},r)=>s>0||r===0).map(({number:s,unit:r})=>s.toLocaleString(re,{style:"unit",unit:r,unitDisplay:"short"})).join(" ")}var kn=n=>Array.isArray(n)?n:[],et=n=>Ct(n.get("authorization_details"),n.get("presentation")),B=n=>n.get("client_name")??n.get("client_id")??"",tt=n=>cn(n,xe,wn,Ct),le=n=>ue(n)?"":n.get("binding_message")??"",Tt=n=>kn(n.get("matching_choices")).filter(e=>/^\d\d$/.test(e)),Lt=n=>n.get("matching")==="type",_e=n=>Lt(n)||Tt(n).length>0,Sn=n=>kn(n.get("scope")),Ot=n=>n.title??a("untyped"),ue=n=>n.get("login")instanceof Map,G=(...n)=>mn(n.flatMap(et));function Me(n){let e=tt(n)?.headline;if(e)return[[{text:e}]];let{lines:t}=G(n);return t.length?t.map(({parts:o})=>o):et(n).map(o=>[{text:Ot(o)}])}var _t=n=>n.get("audience_name")??n.get("audience"),ss=/[\u2066-\u2069]/g,is=n=>n.map(({text:e})=>Oe(e)).join("");function Ne(n){let[e,t]=[Me(n),_t(n)];return e.length?e.map(is).join(", "):t?a("accessTo",{audience:t}).replace(ss,""):""}function q(n,e,t=a("cancel")){return new Promise(o=>{let s=i("dialog.sheet",{"aria-labelledby":"sheet-title"}),r,c=l=>{r=l,s.close()};s.append(i("div.sheet-body",i("h2",{id:"sheet-title",tabindex:-1},n),e(c),m("plain",t,()=>c()))),ye(s,{close:()=>{s.remove(),o(r)},click:l=>l.target===s&&c()}),document.querySelector("main")?.append(s),s.showModal(),s.querySelector("h2")?.focus()})}var de=(n,e,t,o="danger")=>q(n,s=>[i("p",e),m(o,t,()=>s(!0))]),xn=()=>q(a("withReason"),n=>{let e=i("textarea",{id:"reason",maxlength:256,rows:3,"aria-describedby":"reason-hint"});return[i("label",{for:"reason"},a("reason")),i("p.hint",{id:"reason-hint"},a("reasonHint")),e,m("danger",a("reject"),()=>n({accepted:!1,reason:e.value.trim()||void 0}))]}),An=async()=>await de(a("report"),a("reportHint"),a("reportNow"))?{accepted:!1,reported:!0}:void 0,Cn=(n,e,t,o)=>q(n,s=>{let r=i("input",{id:"line",value:t,maxlength:60,autocomplete:"off"});return[se(()=>s(r.value.trim()||void 0),i("label",{for:"line"},e),r,i("button.allow",{type:"submit"},o))]});async function W(n){try{await n()}catch(e){let t=e instanceof O;t||console.error(e),await q(a("didNotWork"),()=>[i("p",a(t?"refusedLead":"tryAgain"))],a("ok"))}}var Nt=n=>b("timeLeft",{time:document.createTextNode(vn(n.expiresAt-D()))});function Et(n){let e=i("span"),t=i("span.left"),o=i("p.clock.moves",t,i("span.bar",{"aria-hidden":"true"},e));return o.update=()=>{let s=n.expiresAt-D(),r=Math.max(0,Math.min(1,s/(n.expiresAt-n.createdAt)));t.replaceChildren(...Nt(n)),e.style.inlineSize=`${r*100}%`,o.classList.toggle("soon",s<3e4)},o.update(),o}function rs(n){let e=n.get("client_logo"),t=i("span.letter",{"aria-hidden":"true"},[...B(n).trim()][0]?.toUpperCase()??"?");if(typeof e!="string"||!e.startsWith("https://"))return t;let o=i("img.logo",{src:e,alt:"",referrerpolicy:"no-referrer",width:48,height:48});return o.addEventListener("error",()=>o.replaceWith(t)),o}function Re(n,e,t="h1"){let o=n.get("client_is_first_party");return i("div.asking",rs(n),i("div",i(t,{tabindex:-1},b("asks",{client:B(n)})),o!==void 0&&i(o?"p.origin.own":"p.origin",b(o?"ownClient":"foreignClient",{tenant:e}))))}var Rt=n=>i("span.line",n.map(({text:e,isOwn:t})=>t?e:v(e)));function On(n){let[e,t]=[Me(n),_t(n)];return e.length?e.map(Rt):t?b("accessTo",{audience:t}):[]}function as(n,e=le(n)){return e&&i("figure.says",i("figcaption",b("clientSays",{client:B(n)})),i("blockquote",_n(e,"p")))}function Z(n){return n.dataset.part="",n}var Tn=500;function _n(n,e="span"){let t=String(n);if(t.length<=Tn)return Z(v(t,e));let o=t.match(new RegExp(`[^]{1,${Tn}}(?![\\udc00-\\udfff])`,"g"))??[];return i(e,{dir:"auto"},o.map(s=>Z(v(s,"span"))))}function Pe({record:n},{title:e="h2",part:t="h2"}={}){let o=Sn(n),s=On(n),r=tt(n)?.rows;return[s.length>0&&Z(i(`${e}.headline`,{id:`headline-${n.get("id")}`},s)),as(n),r&&i("section.detail",i("dl",r.map(({label:c,value:l})=>[i("dt",c),i("dd",Z(v(l,"strong")))]))),et(n).map(c=>ds(c,t)),o.length>0&&i("section.scopes",i(t,a("scopes")),i("ul",o.map(c=>Z(i("li",cs(c)))))),i("details.origin-facts",i("summary",a("more")),i("dl",Ee("factFor",n.get("audience_name")),Ee("factAddress",n.get("audience")),Ee("factClient",n.get("client_id")),Ee("factServer",n.get("iss")),Ee("factRequest",n.get("id"))))]}var Ee=(n,e)=>e&&[i("dt",a(n)),i("dd",v(e,"span"))];function cs(n){let[e,t]=[n.get("value"),n.get("description")];if(t)return v(t,"span");let o=`scope_${e}`;return xt(o)?a(o):v(e,"code")}function $e({record:n}){let e=On(n);return i("span.brief",e.length>0&&i("strong",e),i("span",v(B(n))),Nn(n))}function Mn(n,e){let t=tt(n)?.screen;return t?b(`${e}Of`,{screen:t}):b(e)}function ls(n,e,t){let o=`number-${n.get("id")}`,s=i("p.problem",{id:`${o}-problem`,role:"alert"}),r=i("input.digits",{id:o,type:"text",inputmode:"numeric",autocomplete:"off",maxlength:2,"aria-describedby":s.id});return i("div.numbers",se(()=>{let c=r.value.trim();if(/^\d\d$/.test(c))return e(c);s.textContent=a("typeTwoDigits"),r.setAttribute("aria-invalid","true"),r.focus()},i("label",{for:o},Mn(n,"typeNumber")),s,r,m("allow",Ae("allow",G(n).action),void 0,{...t,type:"submit"})))}var Nn=n=>le(n)&&i("q.hint",v(le(n))),Ae=(n,e,t={})=>e?b(`${n}What`,{action:e,...t}):b(n,t);function us(n,e,t){let{action:o}=G(n);return i("fieldset.numbers",i("legend",Mn(n,"pickNumber")),i("div",Tt(n).map(s=>m("number",s,()=>e(s),{...t,"aria-label":o?a("pickThisWhat",{number:s,action:o}):a("pickThis",{number:s})}))))}function Pt(n,e){let t=p=>async()=>{let h=await p();h&&e(h)},{record:o}=n,s={disabled:!0,"aria-describedby":`headline-${n.id}`},r={...s,"data-allows":!0},c={...s,"aria-haspopup":"dialog"},l=p=>e({accepted:!0,pick:p}),d=n.state!=="open";return i("div.answers",n.problem&&i("p.problem",{role:"alert"},a(n.problem)),d&&i("p.working",{role:"status"},a(n.state)),ze(),Lt(o)?ls(o,l,r):_e(o)&&us(o,l,r),i("div.row",m("reject",a("reject"),()=>e({accepted:!1}),s),!_e(o)&&m("allow",Ae("allow",G(o).action),()=>e({accepted:!0}),r)),i("div.row",m("quiet",a("withReason"),t(xn),c),m("quiet",a("report"),t(An),c)))}var ze=()=>i("div.read-on",{hidden:!0});function je(n,e){n.hidden=e.length===0;let t=ae("partsLeft",e.length),[o]=n.getElementsByTagName("button");o||n.append(i("p.hint"),m("small",a("nextPart"),()=>n.unread?.[0]&&an(n.unread[0].element))),n.unread=e,n.firstElementChild?.replaceChildren(...t)}var Mt=new WeakMap;function En(n,e){let t=[...e.querySelectorAll("[data-part]")];return Mt.has(n)||Mt.set(n,new be(t.length)),t.map((o,s)=>({element:o,index:s,reading:Mt.get(n)}))}function De(n,e){let t=Ne(e);return t?b("outcomeWhat",{outcome:document.createTextNode(a(n)),what:t}):[a(n)]}function Rn(n,e){let{record:t}=n,o=n.outcome==="outcomeAllowed",s=["outcomeRejected","outcomeReported","outcomeWrongNumber"].includes(n.outcome),r=`${n.outcome}Lead`;return i("section.outcome",o?z(_.done,"seal.good"):z(s?_.no:_.history),T(De(n.outcome,t)),i("p",v(B(t))),i("p",Nn(t)),xt(r)&&i("p.hint",a(r)),e)}var ds=(n,e)=>i("section.detail",Z(i(e,v(Ot(n)))),$t(n,!0),Pn(n.parts??[],1)),$t=(n,e)=>{let t=n.description&&i("p.hint",v(n.description));return t&&(e?Z(t):t)},Ln=4;function Pn(n,e,t=""){return n.length?i(e>Ln?"dl.deep":"dl",{"data-depth":e},n.map((o,s)=>{let r=o.parts||o.isFormatted&&String(o.text).length>16?".wide":"",c=`${t}${s+1}`,l=i(`dt${r}`,e>=Ln&&i("span.path",`${c} `),v(o.title));return[o.parts?Z(l):l,i(`dd${r}`,$t(o,Boolean(o.parts)),$n(o,e+1,`${c}.`))]})):null}function $n({text:n,parts:e,isFormatted:t,isList:o},s,r){return e?o?i("ol",e.map((c,l)=>i("li",{"data-depth":s},c.title&&[i("strong",v(c.title))," "],$t(c,!1),$n(c,s+1,`${r}${l+1}.`)))):Pn(e,s,r):_n(n,t?"strong.value":"span")}var zn=45e3,hs=25e3,ps=6e4,fs=3;function jn(n,e=fs){return e===0||document.hidden||!navigator.locks?n(!1):navigator.locks.request(`approver-channel-${e}`,{ifAvailable:!0},t=>t?n(!0):jn(n,e-1))}var nt=class extends EventTarget{isOpen=!1;isListed=!1;last="";failures=0;heard=0;abort=new AbortController;wake;get isFresh(){return this.isOpen&&Date.now()-this.heard<hs}constructor(e){super(),this.device=e}start(){this.running||(this.running=!0,this.run())}stop(){this.running=!1,this.restart()}restart(){this.failures=0,this.abort.abort(),this.wake?.()}async run(){for(;this.running;){let e;this.abort=new AbortController;try{e=await jn(o=>o?this.read():this.poll())}catch(o){this.failures+=1,o instanceof O&&o.code==="enrollment_not_found"&&(this.running=!1,this.tell("removed"))}if(e||this.open(!1),!this.running)return;e??=Math.min(ps,500*2**this.failures);let{signal:t}=this.abort;await new Promise(o=>{this.wake=o,setTimeout(o,t.aborted?0:e*(.5+Math.random()/2))})}}async read(){let e=setTimeout(()=>this.abort.abort(),zn);try{let t=await this.device.events(this.last,this.abort.signal);if(!t.headers.get("Content-Type")?.startsWith("text/event-stream"))throw new R("no events");this.heard=Date.now(),this.open(!0),this.failures+=1;let o=t.body.pipeThrough(new TextDecoderStream).getReader(),s="";for(;;){let{value:r,done:c}=await o.read();if(c)return;this.heard=Date.now(),clearTimeout(e),e=setTimeout(()=>this.abort.abort(),zn);let l=(s+r).split(`

`);s=l.pop()??"",l.length&&(this.failures=0);for(let d of l)this.take(d)}}catch(t){throw t instanceof O?t:new R(String(t))}finally{clearTimeout(e)}}take(e){let{event:t,data:o,id:s}=Object.fromEntries(e.split(`
`).map(r=>r.split(/: ?(.*)/,2)));o&&this.receive(t,JSON.parse(o)),s!==void 0&&(this.last=s)}open(e){this.isOpen!==e&&(this.isOpen=e,this.tell(e?"open":"closed"))}receive(e,t){this.isListed||=e==="pending",this.tell(e,t)}async poll(){let e=await this.device.pending();this.failures=0,this.heard=Date.now(),this.open(!0);for(let t of e)this.receive("notification",t);return this.receive("pending",{txlnkid:e.map(t=>t.mfa.txlnkid)}),15e3}tell=(e,t)=>this.dispatchEvent(new CustomEvent(e,{detail:t}))};var ms={sha1:"SHA-1",sha256:"SHA-256",sha512:"SHA-512"};function gs(n){let e="ABCDEFGHIJKLMNOPQRSTUVWXYZ234567",t=[],[o,s]=[0,0];for(let r of n.toUpperCase().replace(/=+$/,"")){let c=e.indexOf(r);if(c<0)return;o=(o<<5|c)&4095,s+=5,s>=8&&(s-=8,t.push(o>>s&255))}return Uint8Array.from(t)}async function Dn(n){if(!n)return;let{secret:e,algorithm:t,digits:o,period:s}=n,[r,c]=[gs(e),ms[t]];return!r?.length||!c||![6,7,8].includes(o)||!(s>=1&&s<=3600)?void 0:{key:await crypto.subtle.importKey("raw",r,{name:"HMAC",hash:c},!1,["sign"]),digits:o,period:s}}async function Bn({key:n,digits:e,period:t},o){let s=t*1e3,r=new DataView(new ArrayBuffer(8));r.setBigUint64(0,BigInt(Math.floor(o/s)));let c=new DataView(await crypto.subtle.sign("HMAC",n,r)),l=c.getUint32(c.getUint8(c.byteLength-1)&15)&2147483647;return{text:String(l%10**e).padStart(e,"0"),left:s-o%s}}var In;function ws(){return In??=new Promise((n,e)=>{let t=indexedDB.open("approver",1);t.onupgradeneeded=()=>{t.result.createObjectStore("accounts",{keyPath:"id"}),t.result.createObjectStore("values")},t.onsuccess=()=>n(t.result),t.onerror=()=>e(t.error)}),In}async function Ce(n,e,t){let o=(await ws()).transaction(n,e,{durability:"strict"});return new Promise((s,r)=>{let c=t(o.objectStore(n));o.oncomplete=()=>s(c.result),o.onabort=()=>r(o.error)})}async function Be(){return(await Ce("accounts","readonly",e=>e.getAll())).sort((e,t)=>e.addedAt-t.addedAt)}var qn=n=>Ce("accounts","readwrite",e=>e.put(n));function j(n,e){return Object.assign(n,e),Ce("accounts","readwrite",t=>{let o=t.get(n.id);return o.onsuccess=()=>o.result&&t.put({...o.result,...e}),o})}var he=n=>Ce("accounts","readwrite",e=>e.delete(n)),ot=n=>Ce("values","readonly",e=>e.get(n)),Q=(n,e)=>Ce("values","readwrite",t=>t.put(e,n));var Un="/approver",Vn="/approver/sw.js",Ie=()=>navigator.serviceWorker?.getRegistration(Un),ys=/iPhone|iPad|iPod/.test(navigator.userAgent)||navigator.platform==="MacIntel"&&navigator.maxTouchPoints>1,bs=matchMedia("(display-mode: standalone)").matches||navigator.standalone===!0,qe=ys&&!bs,Wn=globalThis.trustedTypes?.createPolicy("approver-worker",{createScriptURL:()=>Vn});async function zt(){let n=Wn?Wn.createScriptURL(""):Vn;await navigator.serviceWorker?.register(n,{scope:Un,updateViaCache:"none"}).catch(console.error)}var Fn=n=>Q("brief",{base:n.base,name:n.name,someRequest:a("noticeSomeRequest"),over:a("noticeOver")});async function We(n){return n.web_push_key?"serviceWorker"in navigator?qe?"install":!("PushManager"in window)||!("Notification"in window)?"none":Notification.permission==="denied"?"denied":Notification.permission==="granted"&&await(await Ie())?.pushManager.getSubscription()?"on":"off":"none":"server"}async function vs(){return await Ie()||await zt(),Promise.race([navigator.serviceWorker.ready,new Promise((n,e)=>{setTimeout(()=>e(new Error("no worker")),1e4)})])}async function Hn(n){let e=F(n.web_push_key),{pushManager:t}=await vs(),o=await t.getSubscription(),s=o&&new Uint8Array(o.options.applicationServerKey??[]);return o&&s.length===e.length&&s.every((r,c)=>r===e[c])?o:(await o?.unsubscribe(),t.subscribe({userVisibleOnly:!0,applicationServerKey:e}))}async function st(n,e){if(await Notification.requestPermission()!=="granted")return;let t=await Hn(n);await Promise.all(e.map(o=>Jn(o,t)))}var jt=async()=>(await(await Ie())?.pushManager?.getSubscription())?.unsubscribe();async function Kn(n){await jt();for(let e of n)await j(e.account,{pushEndpoint:void 0}),await e.update({push_credentials:null})}async function Gn(n,e){let t=await We(n)==="on"?await Hn(n).catch(console.error):void 0;await Promise.allSettled(e.map(async o=>{let{account:s,devices:r}=await o.phones();s!==o.account.label&&await j(o.account,{label:s}),r.find(({current:c})=>c)?.push||(o.account.pushEndpoint=void 0),await Jn(o,t)}))}async function Jn(n,e){let{account:t}=n;t.capabilities===Le(t)&&(!e||t.pushEndpoint===e.endpoint)||(await n.tell(e),await j(t,{capabilities:Le(t),...e&&{pushEndpoint:e.endpoint}}))}async function Dt(n){for(let e of await(await Ie())?.getNotifications({tag:n})??[])e.close()}async function Zn(n,e){for(let t of await(await Ie())?.getNotifications()??[])t.data?.account===n&&!e.includes(t.tag)&&t.close()}var Yn="/approver/farewell.json",Xn=globalThis.localStorage;async function J(){let n={marks:[]};try{n={...n,...JSON.parse(Xn?.getItem("approver")??"{}")}}catch{}let e=await globalThis.caches?.match(Yn).then(t=>t?.json()).catch(()=>{});return{...n,...e}}async function pe(n){let e=JSON.stringify({...await J(),...n});try{Xn?.setItem("approver",e)}catch{}await globalThis.caches?.open("marks").then(t=>t.put(Yn,new Response(e))).catch(console.error)}async function Ue(...n){let{marks:e}=await J(),t=s=>e.find(r=>r.id===s),o=n.map(({id:s,userId:r,label:c,identifier:l,farewell:d=t(s)?.farewell})=>({id:s,userId:r,label:c,identifier:l,farewell:d}));await pe({marks:[...e.filter(({id:s})=>!o.some(r=>r.id===s)),...o]})}async function fe(n){let{marks:e}=await J();await pe({marks:e.filter(t=>!n(t))})}async function eo(n){let{base:e,marks:t}=await J(),o=t.filter(({id:s})=>!n.some(r=>r.id===s));for(let s of o){if(!s.farewell||!e)continue;await on(e,s.id,s.farewell).then(()=>!0,c=>Boolean(c.code))&&await pe({marks:(await J()).marks.map(c=>c.id===s.id?{...c,farewell:void 0}:c)})}return o}var it="PublicKeyCredential"in window,ks="/account/passkeys";async function at(n){let e=await n.passkey(),t={rpId:e.rp_id,ids:e.credential_ids};return await j(n.account,{passkeys:t}),{passkeys:t,offer:e,mayMake:it&&e.may_register}}async function It(n){let{offer:e}=await at(n),t=await navigator.credentials.create({publicKey:{challenge:F(e.challenge),rp:{id:e.rp_id,name:document.title},user:{id:F(e.user_id),name:e.user_name,displayName:e.user_name},pubKeyCredParams:[{type:"public-key",alg:-7},{type:"public-key",alg:-257}],authenticatorSelection:{userVerification:"required",residentKey:"preferred"},attestation:"none"}});await n.keepPasskey({client_data_json:$(t.response.clientDataJSON),attestation_object:$(t.response.attestationObject)});let o={rpId:e.rp_id,ids:[t.id]};return await j(n.account,{passkeys:o}),o}async function Bt({rpId:n,ids:e},t){let o=await navigator.credentials.get({publicKey:{challenge:t,rpId:n,allowCredentials:e.map(s=>({type:"public-key",id:F(s)})),userVerification:"required"}});return{credential_id:o.id,client_data_json:$(o.response.clientDataJSON),authenticator_data:$(o.response.authenticatorData),signature:$(o.response.signature)}}var rt=(n,e)=>i("p",i("a",{href:ks,target:"_blank",rel:"noopener",onclick:()=>j(n.account,{passkeys:void 0})},a(e)));async function ct({device:n,digest:e}){let t=n.account.passkeys;if(it&&t?.ids.length)try{return await Bt(t,e)}catch{}let{passkeys:o,mayMake:s}=await at(n),r=it?o.ids.length?"passkeyConfirm":"passkeyNeeded":"passkeyUnsupported",c=r==="passkeyNeeded"&&!s?"passkeyElsewhereLead":`${r}Lead`;return await q(a(r),l=>{let d=i("p.problem",{role:"alert"}),p=h=>async()=>{d.textContent="";try{l(await h())}catch{d.textContent=a("didNotWork")}};return[i("p",a(c)),d,it&&o.ids.length>0&&[m("allow",a("passkeyUse"),p(()=>Bt(o,e))),rt(n,"passkeyLost")],s&&m("allow",a("passkeyMake"),p(async()=>Bt(await It(n),e))),r==="passkeyNeeded"&&!s&&rt(n,"passkeyAccount")]})??null}var no=({code:n,expires_at:e})=>[i("output.code",{"aria-label":a("wayCode")},n),i("p.hint",a("wayValid",{time:ce(Date.parse(e))}))];function oo(n,e,t,o){let s=i("div.part",{role:"status"},i("p.hint",a("connecting"))),r=async()=>{try{let d=await t();s.replaceChildren(i("p",a("wayTypeCode")),...no(d)),document.querySelector("link[rel=manifest]")?.setAttribute("href",`/approver/manifest.webmanifest?code=${d.code}`);let h=Math.max(Date.parse(d.expires_at)-Date.now(),3e4);setTimeout(()=>s.isConnected&&r(),h)}catch(d){let p=d instanceof O&&d.code==="enrollment_transaction_not_found";s.replaceChildren(i("p.problem",{role:"alert"},a(p?"enrolOver":"enrolLost")))}};r();let c=async()=>{await de(a("waySafari"),a("waySafariLead"),a("waySafariYes"),"plain")&&o()},l=document.querySelector("link[rel=icon]")?.getAttribute("href")??"";return i("section.page",z(_.phone),T(a("wayInstall")),i("p.lead",b("wayInstallLead",{tenant:n.name})),e.account&&i("p.who",a("account")," ",i("strong",v(e.account))),i("ol.steps",i("li",oe(_.share),i("span",a("wayShare"))),i("li",oe(_.add),i("span",a("wayHome"))),i("li",i("img",{src:l,alt:"",width:28,height:28}),i("span",a("wayOpen")))),s,m("quiet",a("waySafari"),c))}function Ve(n){let e=globalThis.BarcodeDetector;if(!(!e||!navigator.mediaDevices?.getUserMedia))return m("plain",a("wayScan"),()=>W(async()=>{let t=await navigator.mediaDevices.getUserMedia({video:{facingMode:"environment"}}),o=new e({formats:["qr_code"]}),s=i("video.camera",{playsinline:!0,muted:!0,"aria-label":a("wayScan")});s.srcObject=t;let r=await q(a("wayScan"),c=>{let l=async()=>{if(!s.isConnected)return;let p=(await o.detect(s).catch(()=>[])).map(({rawValue:h})=>Fe(h)).find(h=>h?.ticket);p?c(p):setTimeout(l,250)};return s.addEventListener("playing",l),setTimeout(()=>s.play().catch(console.error)),[i("p",a("wayScanLead")),s]});for(let c of t.getTracks())c.stop();r&&n(r)}))}var so=(n,e,t,o)=>i("section.page",z(_.away),T(a("wayLost")),e.map(({label:s})=>i("p.who",a("account")," ",i("strong",v(s)))),i("p.lead",b("wayLostLead",{tenant:n.name})),i("h2",a("wayBack")),i("ul.ways",i("li",a("wayBackPhone")),i("li",b("wayBackAccount",{page:i("a",{href:"/account"},a("wayAccount"))})),i("li",a("wayBackAsk"))),He(t),Ve(t),m("quiet",a("wayForget"),o)),io=n=>i("main",i("section.page",z(_.away),T(a("cannotStart")),i("p",a(n))));function ro(){if(!globalThis.isSecureContext)return"wayNeedsSecure";if(!globalThis.crypto?.subtle||!globalThis.indexedDB)return"wayNeedsBrowser"}function Ss(n){let[e,t]=["svg","path"].map(s=>document.createElementNS(wt,s)),o=n.length+8;return e.setAttribute("viewBox",`-4 -4 ${o} ${o}`),e.setAttribute("class","qr"),e.setAttribute("role","img"),e.setAttribute("aria-label",a("wayPicture")),t.setAttribute("d",n.map((s,r)=>[...s].map((c,l)=>c==="1"?`M${l} ${r}h1v1h-1z`:"").join("")).join("")),e.append(t),e}var ao=(n,e)=>W(async()=>{let t;if(e==="passkey"){let{challenge:s}=await n.passkey();if(t=await ct({device:n,digest:F(s)}),!t)return}let o=await n.newPhone(t);await q(a("wayAnother"),()=>[i("p",a("wayAnotherLead")),Ss(o.modules),i("p",a("wayTypeCode")),no(o),m("plain",a("copyLink"),async s=>{await navigator.clipboard.writeText(o.link),s.target.textContent=a("copied")})],a("ok"))});function Fe(n){let e=xs(n);if(e)return{code:e};let t=/^([\w-]{4}\s+)+[\w-]{1,4}$/.test(n.trim())?n.replace(/\s+/g,""):n.trim();if(/^[\w-]{16,128}$/.test(t))return{ticket:t};try{return As(new URL(t))}catch{return}}function xs(n){let e=n.toUpperCase().replace(/[\s-]/g,"").replaceAll("O","0").replace(/[IL]/g,"1");return/^[0-9A-HJKMNP-TV-Z]{8}$/.test(e)?e:void 0}function As(n){if(n.protocol==="otpauth:"){let o=n.searchParams.get("base_url");return o&&new URL(o).origin!==location.origin?{elsewhere:new URL(o).host}:co(n.searchParams.get("enrollment_tx_id"),decodeURIComponent(n.pathname.split(":").pop()))}let e=new URLSearchParams(n.hash.slice(1)),t=e.get("enroll")??n.searchParams.get("ticket");return t&&n.origin!==location.origin?{elsewhere:n.host}:co(t,e.get("account"))}var co=(n,e)=>n?{ticket:n,account:e||void 0}:void 0,uo=({ticket:n,code:e,account:t})=>new URLSearchParams({...e?{code:e}:{enroll:n},...t&&{account:t}});function lo(n=navigator.userAgent){let e=(...r)=>r.find(c=>n.includes(c)),t={CrOS:"ChromeOS",Edg:"Edge",OPR:"Opera",FxiOS:"Firefox",CriOS:"Chrome"},[o,s]=[e("iPhone","iPad","Android","CrOS","Windows","Mac","Linux"),e("Edg","OPR","Samsung","Firefox","FxiOS","Chrome","CriOS","Safari")].map(r=>t[r]??r);return o&&s?a("phoneName",{browser:s,system:o}).replace(/[\u2068\u2069]/g,""):o??s??a("thisPhone")}function He(n){let e=i("input",{id:"link",type:"text",inputmode:"text",autocomplete:"off",autocapitalize:"none",spellcheck:"false","aria-describedby":"link-problem"}),t=i("p.problem",{id:"link-problem",role:"alert"});return se(()=>{let s=Fe(e.value);if(s?.ticket||s?.code)return n(s);t.replaceChildren(...b(s?"linkElsewhere":"linkUnknown",{host:s?.elsewhere})),e.setAttribute("aria-invalid","true"),e.focus()},i("label",{for:"link"},a("pasteLink")),e,t,i("button.plain",{type:"submit"},a("useLink")))}var ho=(n,e)=>[z(_.phone),T(e),i("p.lead",b("welcomeLead",{tenant:n.name}))],po=(n,e)=>i("section.page",ho(n,a("welcome")),qt(n),i("h2",a("haveLink")),i("p.hint",a("haveLinkLead")),He(e),Ve(e)),qt=n=>qe&&n.web_push_key&&i("section.notice",i("h2",a("installApple")),i("ol",i("li",a("wayShare")," ",a("wayHome")),i("li",a("wayOpen")),i("li",a("installApple3"))));function fo(n,e,t){let o=i("input",{id:"name",value:lo(),maxlength:60,autocomplete:"off"}),s=i("p.problem",{role:"alert"}),r=i("button.allow",{type:"submit"},a("addPhone")),c=async()=>{r.disabled=!0,s.textContent="";try{t(await Ts(n,e,o.value.trim()||lo()))}catch(l){r.disabled=!1,s.textContent=a(Cs(l,e))}};return i("section.page",ho(n,a("addPhone")),e.account&&i("p.who",a("account")," ",i("strong",v(e.account))),se(c,i("label",{for:"name"},a("nameOfPhone")),o,s,r),m("plain",a("cancel"),()=>{location.hash="requests"}))}function Cs(n,e){return n instanceof R?"enrolLost":(n instanceof O||console.error(n),n.code==="too_many_requests"?"wayTooMany":n.code==="enrollment_transaction_not_found"?e.code?"wayCodeOver":"enrolOver":"enrolRefused")}async function Ts(n,e,t){let o=await ot("identifier")??(await J()).marks.at(0)?.identifier??crypto.randomUUID();await Q("identifier",o);let s=await tn();await Q("newKey",s);let r=await rn(n.base,e,{identifier:o,name:t,key:s}),c={id:r.id,identifier:o,userId:r.user_id,label:r.user_id,name:t,key:s,addedAt:Date.now(),generator:await Dn(r.totp),capabilities:Le({generator:{}})},l=new we(n.base,c);try{await qn(c),await Q("newKey",void 0),await pe({base:n.base,name:n.name,notice:a("wayLost"),usedCode:e.code}),await Ue({...c,farewell:r.farewell})}catch(d){throw await l.remove().catch(console.error),d}for(let d of await Be())d.userId===c.userId&&d.id!==c.id&&await he(d.id);return await fe(({id:d,userId:p})=>p===c.userId&&d!==c.id),navigator.storage?.persist?.().catch(console.error),await l.phones().then(async({account:d})=>{await j(c,{label:d}),await Ue(c)},console.error),c}var wo={ES256:{name:"ECDSA",namedCurve:"P-256",hash:"SHA-256"},RS256:{name:"RSASSA-PKCS1-v1_5",hash:"SHA-256"},PS256:{name:"RSA-PSS",hash:"SHA-256",saltLength:32},EdDSA:{name:"Ed25519"}};function mo(n){let e=n.split("."),[t,o,s]=e.map(F);if(e.length!==3)throw new SyntaxError("not three parts");let r=c=>new TextDecoder("utf-8",{fatal:!0}).decode(c);return ie(r(o)),{header:JSON.parse(r(t)),claims:JSON.parse(r(o)),signature:s,input:new TextEncoder().encode(`${e[0]}.${e[1]}`)}}async function go({header:n,signature:e,input:t},{kty:o,crv:s,x:r,y:c,n:l,e:d},p){let h=wo[n.alg];if(!p.includes(n.alg)||n.crit)return!1;try{let y=await crypto.subtle.importKey("jwk",{kty:o,crv:s,x:r,y:c,n:l,e:d},h,!1,["verify"]);return await crypto.subtle.verify(h,y,e,t)}catch{return!1}}async function yo(n,e,t){let o=mo(n),{header:s,claims:r}=o,c={claims:r,proof:void 0},l=JSON.parse(r.record),d=e.keys.find(({kid:P})=>P===s.kid),p=$(await me(r.record)),h={iss:l.iss,sub:l.sub,aud:l.client_id,id:l.id},y=Object.entries(h).every(([P,U])=>r[P]===U);if(s.typ!=="approval-receipt+jwt"||!d||r.iss!==t||r.request_digest!==p||!y||!await go(o,d,Object.keys(wo)))return c;if(r.evidence==="session")return{claims:r,proof:r.answer?void 0:"session"};let x=mo(r.answer),{claims:L}=x,I=r.decision==="allowed",Y=L.auth0_guardian_accepted&&!I&&L.matching_pick&&(l.matching_choices||l.matching==="type");return L.iss!==r.device.identifier||L.auth0_guardian_accepted!==I&&!Y||!await go(x,r.device.jwk,["ES256","RS256"])?c:r.evidence==="signed-challenge"?{claims:r,proof:"challenge"}:{claims:r,proof:L.request_digest===p?"phone":void 0}}function bo(n,e){return i("section.page",T(a("history")),e.map(t=>Ls(n,t,e.length>1)))}function Ls(n,e,t){let o=i("ul.decisions"),s=i("p.hint",{role:"status"},a("loading")),r=m("plain",a("showMore"),()=>l()),c;async function l(){r.remove();try{let d=await e.history(c);o.append(...d.requests.map(p=>Ns(n,e,p))),c=d.next,s.textContent=o.childElementCount?"":a("noDecisions"),c&&o.after(r)}catch(d){s.textContent=a(d instanceof R?"offline":"notOffered")}}return l(),i("section",t&&i("h2",v(e.account.label)),o,s)}var Os={allowed:"outcomeAllowed",rejected:"outcomeRejected",reported:"outcomeReported",wrong_number:"outcomeWrongNumber",expired:"outcomeExpired",withdrawn:"outcomeWithdrawn"};function _s({outcome:n,decision:e,reason:t}){let o=Os[n??e]??"outcomeAnswered";return o==="outcomeRejected"&&t?"outcomeReason":o}function Ms({decision:n,device:e,evidence:t},o){if(!(!n||e?.id===o.account.id))return t==="session"?a("answeredOnPage"):e&&b("answeredWith",{phone:e.name})}function Ns(n,e,t){let o=ie(t.record),s=_s(t),r=s==="outcomeAllowed",c=t.decided_at??t.ended_at,l=Ms(t,e),d=i("div");return i("li",i("details",{ontoggle:()=>d.childElementCount||d.append(i("div.past",i("p",De(s,o)),l&&i("p",l),t.reason&&i("p",b("reasonGiven",{reason:t.reason})),Re(o,n.name,"h2"),Pe({record:o},{title:"h3",part:"h3"}),t.decision&&Rs(n,e,o)))},i("summary",i(r?"span.chip.good":["outcomeReported","outcomeWrongNumber"].includes(s)?"span.chip.urgent":"span.chip",a(s)),i("span.told",$e({record:o}),l&&i("span.hint",l),i("time.hint",{datetime:c},ce(Date.parse(c))))),d))}async function Es(){let n=await fetch("/.well-known/jwks.json",{credentials:"omit"}).catch(()=>{});return n?.ok?n.json():void 0}function Rs(n,e,t){let o=t.get("id"),s=i("div",{role:"status"}),r=m("plain",a("receiptShow"),async()=>{let c;try{c=await e.receipt(o)}catch(p){s.replaceChildren(a(p instanceof R?"offline":"noReceipt"));return}let l=await Es(),d=l&&await yo(c,l,n.issuer).catch(console.error);r.remove(),s.replaceChildren(...$s(n,t,c,l&&(d??{claims:{},proof:void 0})))});return i("div.receipt",r,s)}function Ps({name:n},e){if(!e)return i("p.problem",b("receiptUnchecked",{tenant:n}));let t=e.claims.device?.name??"";return e.proof?i("p.verified",e.proof==="phone"?b("receiptPhone",{tenant:n,phone:t}):e.proof==="challenge"?b("receiptChallenge",{tenant:n,phone:t}):b("receiptSession",{tenant:n})):i("p.problem",b("receiptWrong",{tenant:n}))}function $s(n,e,t,o){let{claims:s={}}=o??{},r=(l,d)=>d&&[i("dt",a(l)),i("dd",v(d,"span"))],c=s.decision==="allowed";return[i("h3",a("receipt")),Ps(n,o),o?.proof&&i("dl",r("receiptAsked",B(e)),r("receiptWhat",Ne(e)),r("receiptDecision",a(c?"outcomeAllowed":"outcomeRejected")),r("receiptWhen",ce(Date.parse(s.decided_at))),r("receiptBy",s.device?.name??a("browser")),r("receiptSigned",s.iss)),i("details.experts",i("summary",a("receiptExperts")),i("label",{for:`receipt-${s.id}`},a("receiptRaw")),i("textarea",{id:`receipt-${s.id}`,readonly:!0,rows:6,spellcheck:"false"},t),i("div.row",m("plain",a("receiptCopy"),l=>zs(l.currentTarget,t)),m("plain",a("receiptSave"),()=>js(t,e.get("id")))))].filter(Boolean)}async function zs(n,e){await navigator.clipboard.writeText(e).then(()=>{n.textContent=a("copied")},console.error)}function js(n,e){let t=URL.createObjectURL(new Blob([n],{type:"application/jwt"}));i("a",{href:t,download:`receipt-${e}.jwt`}).click(),setTimeout(()=>URL.revokeObjectURL(t),1e4)}var lt=!1;function Ds({account:n},e){let{generator:t}=n,o=i("strong.digits"),s=i("span.hint"),r=i("progress",{"aria-hidden":"true",max:t.period}),c=i("div.code.moves",e&&i("p.who",a("account")," ",i("strong",v(n.label))),o,r,s),l=async()=>{let p=await Bn(t,D()),h=Math.ceil(p.left/1e3),y=p.text.length/2;o.replaceChildren(...[p.text.slice(0,y),p.text.slice(y)].map(x=>i("span",x))),r.value=h,s.replaceChildren(...ae("codeLeft",h))},d=()=>{l().catch(console.error)};return d(),Object.assign(c,{update:d})}function vo(n){let e=n.filter(({account:s})=>s.generator);if(e.length===0)return;let t=i("div"),o=()=>t.replaceChildren(...lt?e.map(s=>Ds(s,n.length>1)):[]);return o(),i("details.codes",{open:lt,ontoggle:({target:s})=>{lt!==s.open&&(lt=s.open,o())}},i("summary",a("oneTimeCode")),i("p.hint",a("oneTimeCodeLead")),t)}function ko(n){let e=G(...n.map(({record:t})=>t));return e.isMoney&&!(e.isGroupable&&e.sums.length)?[]:n.filter(({record:t})=>!_e(t)&&!ue(t))}function Wt(n){let{sums:e}=G(...n.map(({record:t})=>t));return e.length?yn(e):void 0}var Bs=3;function Is(n){return n.map(e=>{let t=n.filter(o=>e&&o?.currency===e.currency).map(o=>Math.abs(Number(o?.amount))).sort((o,s)=>o-s);return t.length>2&&Math.abs(Number(e?.amount))>=Bs*t[Math.floor((t.length-1)/2)]})}function So(n){let e=n.length,t=Wt(n),o=n.map(({record:y})=>G(y)),s=Is(o.map(({lines:y})=>y[0]?.money)),r=n.map(({record:y},x)=>i("li",Me(y).map(Rt),s[x]&&i("span.chip.urgent",a("outlier")),le(y)&&i("q.hint",v(le(y))))),c=i("ol.together",r),l=i("button.allow",{type:"button",disabled:!0},Ae("allowAll",t,{count:e})),d=ze(),p=new be(r.length),h=new ve(()=>c.closest("dialog")?.getBoundingClientRect(),()=>{l.disabled=h.unread.length>0,je(d,h.unread)});return h.follow(r.map((y,x)=>({element:y,reading:p,index:x}))),je(d,h.unread),q(b("allowAllTitle",{count:e}),y=>(l.addEventListener("click",()=>y(!0)),[c,t&&i("dl.sums",i("dt",a("sum")),i("dd",i("strong.value",v(t)))),i("p.hint",a("allSigned")),d,l])).finally(()=>h.stop())}var xo={wrong_number:"outcomeWrongNumber",transaction_expired:"outcomeExpired",login_transaction_not_found:"outcomeAnswered",consent_not_found:"outcomeElsewhere"},qs=["consent_not_found","transaction_expired","login_transaction_not_found"],Ws={invalid_passkey:"problemPasskey",user_blocked:"problemBlocked"};function Ut(n,e){let t=[n,e].map(({record:o})=>ue(o));return Number(!n.urgent)-Number(!e.urgent)||Number(!t[0])-Number(!t[1])||(t[0]?e.createdAt-n.createdAt:n.createdAt-e.createdAt)}var ut=class extends EventTarget{all=new Map;tabs=new BroadcastChannel("approver");constructor(){super(),this.tabs.onmessage=({data:e})=>{e.answered?this.withdraw(e.answered):this.dispatchEvent(new Event("accounts"))}}changed=()=>this.dispatchEvent(new Event("change"));get open(){return[...this.all.values()].filter(e=>e.record&&e.state!=="over")}some=e=>[...this.all.values()].some(t=>t.state==="loading"&&e(t));get isGathering(){return this.some(({failures:e,since:t})=>!e&&performance.now()-t<1500)}get isLoading(){return this.some(()=>!0)}get isFailing(){return this.some(({failures:e})=>e)}add(e,t,o,s){let r=this.loading(e,t.txlnkid);return r.notification??=t,r.text??=s,r.urgent||=o,this.load(r)}loading(e,t){let o=this.all.get(t)??{id:t,device:e,state:"loading",failures:0,since:performance.now()};return this.all.set(t,o),o}async load(e){let{id:t,device:o,notification:s}=e;if(!(e.state!=="loading"||e.fetching)){clearTimeout(e.timer),e.fetching=!0;try{let r=e.text??await o.record(s),c=ie(r);if(!(c instanceof Map))throw new SyntaxError(r);let l=await me(r);if(e.state==="loading"){let[d,p]=["created_at","expires_at"].map(y=>Date.parse(c.get(y))),h=e.urgent||c.get("urgent")===!0;Object.assign(e,{record:c,digest:l,createdAt:d,expiresAt:p,urgent:h,state:"open"})}}catch(r){r instanceof SyntaxError&&console.error(t,r),e.text=void 0,r instanceof O&&qs.includes(r.code)?this.all.delete(t):this.retry(e,()=>this.load(e))}e.fetching=!1,this.changed()}}retry(e,t){e.failures+=1;let o=Math.min(6e4,1e3*2**e.failures)*(.5+Math.random()/2);clearTimeout(e.timer),e.timer=setTimeout(()=>this.all.get(e.id)===e&&t(),o)}refresh(e){return e.refreshing??=e.pending().then(t=>{for(let{mfa:o,urgent:s,record:r}of t)this.add(e,o,s,r);t.length<100&&this.listed(e,t.map(({mfa:o})=>o.txlnkid))}).finally(()=>{e.refreshing=void 0}),e.refreshing}async find(e){e.notification||await this.refresh(e.device).catch(console.error),e.notification||this.retry(e,()=>this.find(e)),this.changed()}listed(e,t){for(let o of t){if(this.all.has(o))continue;let s=this.loading(e,o);s.timer=setTimeout(()=>this.find(s),1500)}for(let o of this.all.values()){if(o.device!==e)continue;let{id:s,state:r}=o;t.includes(s)?r==="checking"?(o.state="open",o.problem="problemLost"):o.outcome==="outcomeExpired"?(o.state="open",o.outcome=void 0):r==="loading"&&o.notification&&this.load(o):r==="checking"?this.end(o,"outcomeAnswered"):r!=="over"&&r!=="sending"&&this.pass(o)}this.dispatchEvent(new CustomEvent("listed",{detail:{device:e,ids:t}})),this.changed()}withdraw(e){let t=this.all.get(e);!t||t.state==="sending"||t.state==="over"||(this.pass(t),this.changed())}pass(e){e.record||this.all.delete(e.id),this.end(e,e.expiresAt<=D()?"outcomeExpired":"outcomeElsewhere")}async expire(){let e=this.open.filter(t=>t.state==="open"&&t.expiresAt<=D()&&!t.asking);for(let t of e)t.asking=!0;for(let t of new Set(e.map(o=>o.device)))await this.refresh(t).catch(()=>{for(let o of e)o.device===t&&this.pass(o);this.changed()});for(let t of e)t.asking=!1}end(e,t){e.state="over",e.outcome=t,this.dispatchEvent(new CustomEvent("over",{detail:e}))}clear(){for(let e of this.all.values())e.state==="over"&&this.all.delete(e.id)}drop(e){for(let t of this.all.values())t.device===e&&this.all.delete(t.id);this.changed()}async answer(e,t,o){if(e.state==="open"){e.state="sending",e.problem=void 0,this.changed();try{await this.send(e,{...t,digest:e.digest},o),this.end(e,t.accepted?"outcomeAllowed":t.reported?"outcomeReported":"outcomeRejected"),this.tabs.postMessage({answered:e.id})}catch(s){s instanceof R?(e.state="checking",this.dispatchEvent(new CustomEvent("lost",{detail:e}))):this.refused(e,s)}this.changed()}}async send(e,t,o){let{device:s,notification:r}=e;try{await s.resolve(r,t)}catch(c){if(!(c instanceof O)||c.code!=="passkey_required")throw c;let l=await o(e);if(!l)throw new O("invalid_passkey");await s.resolve(r,t,l)}}refused(e,t){if(t.code==="enrollment_not_found"&&this.dispatchEvent(new CustomEvent("removed",{detail:e.device})),xo[t.code])return this.end(e,xo[t.code]);e.state="open",e.problem=Ws[t.code]??"problemRefused",t instanceof O||console.error(t)}};var Ao=500,dt=class{shown=[];drawn="";settledUntil=0;reader=new ve(()=>this.inView(),()=>this.gate());constructor(e,t){this.app=e,this.requests=t,this.cardPlace=i("div.home"),this.othersPlace=i("div"),this.element=i("div.home",this.cardPlace,this.othersPlace)}async open(e){if(this.wanted={id:e,until:performance.now()+1e4},this.isMissed=!1,this.requests.all.has(e))return;let t=await Promise.allSettled(this.app.devices.map(o=>this.requests.refresh(o)));this.isMissed=t.every(({status:o})=>o==="fulfilled")&&!this.requests.all.has(e),this.draw()}next=()=>{this.requests.clear(),this.shown=[],this.isMissed=!1,this.draw(!0),this.app.focus()};requestsOf=e=>e.map(t=>this.requests.all.get(t)).filter(t=>t?.record);choose(){let e=this.requests.open;this.wanted&&this.requests.all.get(this.wanted.id)?.record?(this.isMissed=!1,this.shown=[this.wanted.id],this.wanted=void 0):(this.wanted?.until??0)<performance.now()&&(this.wanted=void 0);let t=this.requestsOf(this.shown).map(({id:c})=>c);if(t.length||this.shown.some(c=>this.requests.all.get(c)?.state==="loading")){this.shown=t.length?t:this.shown;return}if(this.shown=[],this.requests.isGathering)return;let[o]=[...e].sort(Ut),s=c=>ue(c.record),r=c=>c===o||!s(o)&&!s(c)&&c.device===o.device&&c.record.get("client_id")===o.record.get("client_id");this.shown=o?e.filter(r).map(c=>c.id):[]}draw(e){this.choose();let t=this.requestsOf(this.shown),o=t.length?this.requests.open.filter(h=>!this.shown.includes(h.id)).sort(Ut):[];this.drawOthers(o,e);let{app:s,requests:r}=this,c=JSON.stringify([t.map(({id:h,state:y,outcome:x,problem:L})=>[h,y,x,L]),t.length?t.every(({state:h})=>h==="over")&&o.length>0:[s.isOnline,s.isOpen,s.isListed,this.isMissed,r.isLoading,r.isFailing]]);if(c===this.drawn)return;this.drawn=c;let l=this.cards!==this.shown.join();this.cards=this.shown.join();let d=this.cardPlace.contains(document.activeElement),p=t.length>1?this.group(t,o):t.length?this.card(t[0],o):this.idle();this.cardPlace.replaceChildren(p),t.some(({state:h})=>h!=="over")&&(this.settledUntil=performance.now()+Ao,setTimeout(()=>this.gate(),Ao)),l&&t.length&&!e&&this.announce(b("asks",{client:B(t[0].record)})),t.length||this.announce([]),this.watch(),this.gate(),d&&(this.cardPlace.querySelector("h1")??this.cardPlace).focus({preventScroll:!0})}drawOthers(e,t){let o=e.map(({id:r})=>r).join();if(o===this.others)return;let s=ae("moreWait",e.length);!t&&e.some(({id:r})=>!this.others?.includes(r))&&this.announce(s),this.others=o,this.othersPlace.replaceChildren(...e.length?[this.waiting(e)]:[])}announce=e=>this.app.live.replaceChildren(...e);get covered(){let e=this.cardPlace.querySelector(".card > .answers");return e&&getComputedStyle(e).position==="sticky"?e.offsetHeight+this.app.nav.offsetHeight:0}inView(){if(!(!this.element.isConnected||document.querySelector("dialog[open]")))return{top:0,bottom:innerHeight-this.covered}}watch(){let e=this.requestsOf(this.shown).filter(({state:t})=>t!=="over");if(!e.length||!this.element.isConnected)return this.reader.follow([]);this.reader.follow(e.flatMap(t=>{let o=this.cardPlace.querySelector(`[data-request="${CSS.escape(t.id)}"]`);return o?En(t,o).map(s=>({...s,request:t})):[]}))}gate(){let e=performance.now()>=this.settledUntil,t=this.reader.unread;for(let o of this.cardPlace.querySelectorAll(".answers")){let s="all"in o.dataset?this.shown:[o.closest("[data-request]")?.dataset.request],r=this.requestsOf(s).filter(({state:p})=>p==="open"),c=t.filter(({request:p})=>r.some(h=>h===p)),l=[...o.getElementsByTagName("button")].filter(p=>!p.closest(".read-on"));for(let p of l)p.disabled=!e||!r.length||"allows"in p.dataset&&c.length>0;let d=o.querySelector(".read-on");d&&je(d,e?c:[])}document.documentElement.style.scrollPaddingBottom=`${this.covered+16}px`}idle(){let{isOpen:e,isOnline:t,isListed:o}=this.app,s=(...r)=>i("section.page.idle",r,vo(this.app.devices));return t?this.requests.isFailing?s(z(_.away),T(a("notLoaded")),i("p.lead",a("notLoadedLead"))):this.requests.isLoading||!o?s(T(a("loading"))):this.isMissed?s(T(a("outcomeElsewhere")),i("p.lead",a("outcomeElsewhereLead")),m("plain",a("ok"),this.next)):s(z(_.requests,"seal.good"),T(a("nothingWaits")),i("p.lead",{role:"status"},a(e?"listening":"connecting")),this.app.banner()):s(z(_.away),T(a("offline")),i("p.lead",a("offlineLead")))}account=e=>this.app.devices.length>1&&i("p.who",a("account")," ",i("strong",v(e.device.account.label)));card(e,t){if(e.state==="over"){let o=t.length?a("nextRequest"):a("ok");return i("article.card.ended",Rn(e,m("allow",o,this.next)))}return i("article.card",{"data-request":e.id},i("header",Et(e),e.urgent&&i("p.chip.urgent",a("urgent"))),Re(e.record,this.app.settings.name),this.account(e),Pe(e),Pt(e,o=>this.answer(e,o)))}answer=(e,t)=>this.requests.answer(e,t,ct);group(e,t){let[{record:o}]=e,s=e.filter(h=>h.state==="open");if(e.every(h=>h.state==="over"))return this.groupEnded(e,t);let r=ko(s),c=async(h,y,x)=>{if(await x)for(let L of h)await this.answer(L,{accepted:y})},[l,d]=["rejectAllTitle","rejectAll"].map(h=>b(h,{count:s.length})),p=B(o);return i("article.card.group",Re(o,this.app.settings.name),i("p.hint",b("group",{count:e.length})),this.account(e[0]),i("ol.items",e.map(h=>this.item(h))),s.length>1&&i("div.answers",{"data-all":!0},ze(),!r.length&&i("p.hint",a("notTogether")),i("div.row",m("reject",d,()=>c(s,!1,de(l,b("rejectAllLead",{client:p}),a("reject"),"reject"))),r.length>1&&m("allow",Ae("allowAll",Wt(r),{count:r.length}),()=>c(r,!0,So(r)),{"data-allows":!0,"aria-haspopup":"dialog"}))))}item(e){return e.state==="over"?i("li.over",i("p",{role:"status"},De(e.outcome,e.record))):i("li",{"data-request":e.id},Et(e),Pe(e,{title:"h2",part:"h3"}),Pt(e,t=>this.answer(e,t)))}groupEnded=(e,t)=>i("article.card.ended",i("section.outcome",T(a("allAnswered")),i("ul.decisions",e.map(o=>i("li",$e(o),i("span.chip",a(o.outcome))))),m("allow",a(t.length?"nextRequest":"ok"),this.next)));waiting(e){return i("section.waiting",i("h2",ae("moreWait",e.length)),i("ul",e.map(t=>i("li",i("button.entry",{type:"button",onclick:()=>{this.open(t.id),this.draw(!0),this.app.focus()}},$e(t))))))}tick(){this.draw();for(let e of this.element.querySelectorAll(".moves"))e.update?.()}};var Co="preview";var Us=async()=>await ot(Co)===!0;function To(){let n=i("input",{id:"preview",type:"checkbox",disabled:!0,onchange:()=>Q(Co,n.checked)});return Us().then(e=>Object.assign(n,{checked:e,disabled:!1})),i("label.switch",{for:n.id},i("span",i("span",a("preview")),i("span.hint",a("previewHint"))),n)}function Oo(n,e){let t=Lo(n,({name:s})=>s,({name:s,enrolled_at:r})=>`${s} (${e(Date.parse(r))})`),o=new Map;return Lo(n,s=>t.get(s)??"",s=>{let r=t.get(s)??"",c=(o.get(ht(r))??0)+1;return o.set(ht(r),c),`${r} #${c}`})}var ht=n=>n.normalize("NFKC").toLowerCase();function Lo(n,e,t){let o=s=>n.some(r=>r!==s&&ht(e(r))===ht(e(s)));return new Map(n.map(s=>[s,o(s)?t(s):e(s)]))}function _o(n){return i("section.page",T(a("settings")),Vs(n),n.devices.map(e=>Fs(n,e)),i("section.block",i("h2",a("anotherAccount")),i("p.hint",a("haveLinkLead")),He(n.enrol),Ve(n.enrol)),n.installer&&i("section.block",i("h2",a("install")),m("plain",a("install"),()=>n.installer?.prompt())),i("p.hint.version",n.settings.name," · ",document.documentElement.dataset.version))}function Vs(n){let e=i("div"),t=async()=>{let o=await We(n.settings),s=r=>async()=>{await W(r),t()};e.replaceChildren(i("section.block",i("h2",a("notifications")),o!=="on"&&i("p.hint",a(`push_${o}`)),o==="off"&&m("allow",a("turnOn"),s(()=>st(n.settings,n.devices))),o==="on"&&To(),o==="on"&&m("plain",a("turnOff"),s(()=>Kn(n.devices))),o==="install"&&qt(n.settings)))};return t(),e}function Fs(n,e){let{account:t}=e,o=async()=>{let r=await Cn(a("rename"),a("nameOfPhone"),t.name,a("save"));!r||r===t.name||(await W(async()=>{await e.update({name:r}),await j(t,{name:r})}),n.render())},s=async()=>{let r=b("removeLead",{account:t.label});await de(a("removeAccount"),r,a("removeNow"))&&await W(async()=>{await e.remove().catch(c=>{if(c.code!=="enrollment_not_found")throw c}),await he(t.id),await fe(({id:c})=>c===t.id),n.removed(e)})};return i("section.block.account",{"aria-label":t.label},i("h2",v(t.label)),i("div.fact",i("span",i("span.hint",a("thisPhone")),i("strong",v(t.name))),m("small",a("rename"),o,{"aria-label":a("renameThis",{name:t.name})})),Hs(n,e),Ks(e),Gs(n,e),m("danger.plain",a("removeAccount"),s))}function Vt(n,e){let t=i("div");return n().then(o=>t.append(i("div.part",e(o))),()=>t.remove()),t}var Hs=(n,e)=>Vt(()=>at(e),({passkeys:t,mayMake:o})=>[i("div.fact",i("span",i("span.hint",a("passkey")),i("strong",a(t.ids.length?"passkeyYes":"passkeyNo"))),o&&m("small",a("passkeyAdd"),async()=>{await W(()=>It(e)),n.render()})),!o&&rt(e,t.ids.length?"passkeyLost":"passkeyAccount")]);function Ks(n){return Vt(n.preferences,({quiet_hours:e})=>{let t=n.account.id,o=(h,y)=>i("input",{id:`${h}-${t}`,type:"time",value:y,required:!0}),s=o("from",e?.from??"22:00"),r=o("to",e?.to??"07:00"),c=i("input",{id:`quiet-${t}`,type:"checkbox",checked:Boolean(e)}),l=i("div.times",{hidden:!e},i("label",{for:s.id},a("from")),s,i("label",{for:r.id},a("to")),r),d=i("p.hint",{role:"status"}),p=()=>W(async()=>{if(l.hidden=!c.checked,!s.value||!r.value)return;let h=c.checked?{from:s.value,to:r.value}:null;await n.keepPreferences({quiet_hours:h}),await j(n.account,{quietHours:h}),d.textContent=a("saved")});for(let h of[s,r,c])h.addEventListener("change",p);return[i("label.switch",{for:c.id},i("span",i("span",a("quietHours")),i("span.hint",a("quietHoursLead"))),c),l,d]})}var Gs=(n,e)=>Vt(e.phones,({devices:t})=>[Js(t,Oo(t,bn)),n.settings.phones_add_phones!=="never"&&m("plain",a("wayAnother"),async()=>{await ao(e,n.settings.phones_add_phones),n.render()})]),Js=(n,e)=>[i("h3",a("yourPhones")),i("ul.phones",n.map(t=>i("li",i("span",i("strong",v(e.get(t))),t.current&&i("span.chip.good",a("thisPhone")),t.key_lost&&i("span.chip.urgent",a("wayKeyGone"))),i("span.hint",a("since",{date:ce(Date.parse(t.enrolled_at))}),t.push&&` · ${a("notifications")}`,t.passkey&&` · ${a("passkey")}`))))];var Zs=[60,30,10],Qs=()=>JSON.parse(document.documentElement.dataset.settings??""),Ft=class{devices=[];channels=new Map;link;tab="requests";lost=[];notice;isOnline=navigator.onLine;installer=null;requests=new ut;home=new dt(this,this.requests);status=i("p.status",{role:"status"});live=i("p.unseen",{role:"status"});place=i("div.view");main=i("main",{id:"main",tabindex:-1},this.place,this.live);nav=i("nav",["requests","history","settings"].map(e=>i("a",{href:`/approver#${e}`,"data-tab":e},oe(_[e]),i("span",a(e)))));constructor(e){this.settings=e}async start(){document.documentElement.lang=xe,this.frame(),await this.open(),this.listen(),await Fn(this.settings),this.follow(),await zt(),await this.renew()}async open(){for(let t of await Be())await nn(t.key)?this.join(t):await he(t.id);let e=this.devices.map(({account:t})=>t);this.usedCode=(await J()).usedCode,await pe({base:this.settings.base,name:this.settings.name,notice:a("wayLost")}),await Ue(...e),this.lost=await eo(e),e.length===0&&await jt().catch(console.error)}async renew(){await Gn(this.settings,this.devices),this.tab==="settings"&&this.render()}get isListed(){return[...this.channels.values()].every(e=>e.isListed)}get isOpen(){return[...this.channels.values()].every(e=>e.isOpen)}frame(){document.body.replaceChildren(i("a.skip",{href:"#main",onclick:e=>{e.preventDefault(),this.main.focus()}},a("skip")),i("header.top",i("span.tenant",this.settings.name),this.status),this.main,this.nav)}render=()=>{this.nav.hidden=this.devices.length===0||Boolean(this.link);for(let e of this.nav.querySelectorAll("a"))e.dataset.tab===this.tab?e.setAttribute("aria-current","page"):e.removeAttribute("aria-current");this.drawStatus(),this.home.drawn="",this.place.replaceChildren(...this.notice?[this.notice]:[],this.view()),this.home.element.isConnected&&this.home.draw()};focus(){scrollTo(0,0),this.main.querySelector("h1")?.focus()}view(){let{link:e}=this;if(e&&qe&&this.settings.web_push_key&&!this.stays){let t=async()=>e.code?{code:e.code,expires_at:new Date(D()+9e5)}:sn(this.settings.base,e.ticket);return oo(this.settings,e,t,()=>{this.stays=!0,this.render(),this.focus()})}return this.link?fo(this.settings,this.link,t=>this.enrolled(t)):this.devices.length===0&&this.lost.length?so(this.settings,this.lost,this.enrol,async()=>{await fe(()=>!0),this.lost=[],this.render(),this.focus()}):this.devices.length===0?po(this.settings,this.enrol):this.tab==="history"?bo(this.settings,this.devices):this.tab==="settings"?_o(this):this.home.element}drawStatus(){let e=this.devices.length===0?"":this.isOnline?this.isOpen?"":"connecting":"offline";this.status.className=`status ${e}`;let t=e?a(e):"";this.status.textContent!==t&&this.status.replaceChildren(...e?[oe(_.away),t]:[])}changed=()=>{this.drawStatus(),this.tab==="requests"&&!this.link&&this.devices.length>0&&this.home.draw();let e=this.requests.open.length;this.nav.firstElementChild?.toggleAttribute("data-waiting",e>0),document.title=e?`(${e}) ${this.settings.name}`:this.settings.name,e?navigator.setAppBadge?.(e)?.catch(()=>{}):navigator.clearAppBadge?.()?.catch(()=>{})};follow=()=>{let e=location.hash.slice(1),t=new URLSearchParams(e),o=t.has("enroll")?Fe(location.href):void 0;this.link=o?.ticket?o:void 0;let s=t.get("code")??void 0;s&&s!==this.usedCode&&this.devices.length===0&&(this.link={code:s}),this.tab=["history","settings"].includes(e)?e:"requests",this.render(),this.focus(),t.has("request")&&this.sync().then(()=>this.home.open(t.get("request"))).catch(console.error)};async sync(){let e=await Be(),t=this.devices.filter(s=>!e.some(({id:r})=>r===s.account.id));for(let s of t)this.leave(s);let o=t.length>0;for(let s of e){let r=this.devices.find(c=>c.account.id===s.id);r?Object.assign(r.account,s):this.join(s),o||=!r}o&&!this.link&&this.render()}enrol=e=>{location.hash=String(uo(e))};join(e){let t=new we(this.settings.base,e),o=new nt(t);return this.devices.push(t),this.channels.set(t,o),ye(o,{open:this.changed,closed:this.changed,removed:()=>this.gone(t),pending:({detail:s})=>this.requests.listed(t,s.txlnkid),withdrawal:({detail:s})=>{this.requests.withdraw(s.txlnkid),Dt(s.txlnkid)},notification:({detail:s})=>this.requests.add(t,s.mfa,s.urgent,s.record)}),o.start(),t}async enrolled(e){for(let t of this.devices.filter(({account:{userId:o}})=>o===e.userId))this.leave(t);this.join(e),this.isNew=!0,this.notice=void 0,this.usedCode=this.link?.code,this.lost=[],this.link=void 0,this.begin(),this.render(),this.focus(),this.told(),this.renew().catch(console.error)}told=()=>this.requests.tabs.postMessage({});leave(e){this.channels.get(e)?.stop(),this.channels.delete(e),this.devices=this.devices.filter(t=>t!==e),this.requests.drop(e),this.devices.length===0&&this.begin()}begin(){history.replaceState(null,"","/approver"),this.tab="requests"}removed(e){this.leave(e),this.told(),this.render(),this.focus()}async gone(e){this.devices.includes(e)&&(await he(e.account.id),await fe(({id:t})=>t===e.account.id),this.leave(e),this.notice=i("p.notice",{role:"alert"},b("gone",{account:e.account.label})),this.render())}banner(){let e=i("div");return We(this.settings).then(t=>{let o=this.isNew&&i("p.notice",{role:"status"},a("ready")),r={off:()=>m("allow",a("turnOn"),async()=>{await W(()=>st(this.settings,this.devices)),this.render()}),install:()=>i("a",{href:"#settings"},a("installApple"))}[t]?.();e.append(i("div",o,t!=="on"&&i("section.notice",i("h2",a("notifications")),i("p",a(`push_${t}`)),r)))}),e}listen(){let e=({type:t})=>{this.isOnline=navigator.onLine;let o=!this.isOnline||t==="visibilitychange";for(let s of this.channels.values())(o||!s.isFresh)&&s.restart();this.changed()};ye(window,{hashchange:()=>{this.notice=void 0,this.follow()},online:e,offline:e,resize:()=>this.home.watch(),beforeinstallprompt:t=>{t.preventDefault(),this.installer=t}}),document.addEventListener("visibilitychange",e),navigator.serviceWorker?.addEventListener("message",t=>{t.data.request&&(location.hash=`request=${t.data.request}`),e(t)}),ye(this.requests,{change:this.changed,accounts:()=>this.sync().catch(console.error),listed:({detail:t})=>Zn(t.device.account.id,t.ids),over:({detail:t})=>Dt(t.id),lost:({detail:t})=>this.channels.get(t.device)?.restart(),removed:({detail:t})=>this.gone(t)}),setInterval(()=>this.tick(),1e3)}tick(){this.requests.expire(),this.home.tick();for(let e of this.home.shown){let t=this.requests.all.get(e);if(t?.state!=="open")continue;let o=Math.ceil((t.expiresAt-D())/1e3);Zs.includes(o)&&this.live.replaceChildren(...Nt(t))}}},Ys=async()=>{let n=ro();n?document.body.replaceChildren(io(n)):await new Ft(Qs()).start()};Ys().catch(n=>{console.error(n),document.body.replaceChildren(i("main",i("section.page",T(a("cannotStart")),i("p",a("cannotStartLead")),m("allow",a("tryAgain"),()=>location.reload()))))});export{Ft as App};
